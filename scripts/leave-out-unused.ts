import type { Plugin } from 'vite';

interface Unused {
  readonly file: RegExp;
  readonly parts: readonly (readonly [pattern: RegExp, replacement: string])[];
}

const TEXT = String.raw`(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`;

/** What the pages never use, but no bundler can see that. */
const UNUSED: readonly Unused[] = [
  {
    // Every Zod schema has methods that make JSON schemas.
    file: /\/zod\/v4\/classic\/schemas\.js$/,
    parts: [
      [/^ *inst\._zod\.processJSONSchema = .*;$/gm, ''],
      [/\bcreateStandardJSONSchemaMethod\(this, "\w+"\)/g, 'undefined'],
      [/\bcreateToJSONSchemaMethod\(this, \{\}\)\(params\)/g, 'undefined'],
    ],
  },
  // The documentation of the commands.
  { file: /\/shared\/commands\.ts$/, parts: [[new RegExp(`\\bsummary:\\s*${TEXT}`, 'g'), "summary: ''"]] },
  // The default messages of errors: a page shows the message that the server sent.
  {
    file: /\/shared\/errors\.ts$/,
    parts: [[new RegExp(`(\\bstatus: \\d+,\\s*message:)\\s*${TEXT}`, 'g'), "$1 ''"]],
  },
];

/** Leaves out of the pages what they never use: a tenth of the scripts that they load first. */
export function leaveOutUnused(): Plugin {
  return {
    name: 'leave-out-unused',
    enforce: 'pre',
    transform(code, id) {
      const parts = UNUSED.find(({ file }) => file.test(id))?.parts;
      return parts?.reduce((rest, [pattern, replacement]) => remove(rest, pattern, replacement), code);
    },
  };
}

function remove(code: string, pattern: RegExp, replacement: string): string {
  if (code.search(pattern) === -1) throw new Error(`Nothing matches ${String(pattern)} any more.`);
  return code.replace(pattern, replacement);
}
