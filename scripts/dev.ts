import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded } from './build-if-needed.mjs';

/** Rebuilds and restarts whenever a source changes. Conversations are on disk and survive. */
const root = fileURLToPath(new URL('..', import.meta.url));
let server: ChildProcess | undefined;
let timer: NodeJS.Timeout | undefined;

function start(): void {
  buildIfNeeded();
  server = spawn(process.execPath, ['dist/server/main.js', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
}

function restart(): void {
  server?.once('exit', start);
  server?.kill('SIGTERM');
}

for (const folder of ['shared', 'server', 'client', 'scripted-model']) {
  watch(`${root}${folder}`, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(restart, 200);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (server === undefined) process.exit(0);
    server.once('exit', (code) => process.exit(code ?? 0));
    server.kill(signal);
  });
}
start();
