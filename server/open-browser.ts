import { spawn } from 'node:child_process';

/** Opens the page in the user's browser. Failures are ignored, because the address is printed as well. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): void {
  const command = openCommand(url, env);
  if (command === undefined) return;
  const child = spawn(command[0], command.slice(1), { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function openCommand(url: string, env: NodeJS.ProcessEnv): [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasDisplay ? ['xdg-open', url] : undefined;
}
