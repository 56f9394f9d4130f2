/** Variables for a child process. */
export type Environment = Readonly<Record<string, string>>;

/** What every program needs, without any of the user's settings. */
export function baseEnvironment(home: string): Environment {
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'];
  return Object.fromEntries([
    ...kept.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
    ['HOME', home],
    ['USERPROFILE', home],
  ]);
}
