import { findOnPath, installPackages } from './programs-on-path.ts';

/** Makes sure that the tests with real terminals can run: tmux is on PATH, or the package manager installs it. */
export function checkTmux(env: NodeJS.ProcessEnv): void {
  const find = () => findOnPath(['tmux'], env);
  if (find() !== undefined) return;
  installPackages('tmux');
  if (find() !== undefined) return;
  throw new Error(
    'The tests with real terminals need tmux. Install it (Debian: apt-get install tmux, macOS: brew install tmux).',
  );
}
