import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from './run-program.ts';
import type { TerminalHome } from './terminal-home.ts';
import type { Terminal } from './tmux.ts';

/** Codex at its prompt in a terminal. The scripted model has to answer `Answer to <prompt>.`. */
export interface CodexTerminal {
  readonly terminal: Terminal;
  /** Types a prompt and waits for the end of the turn. */
  ask(prompt: string): Promise<void>;
  enter(prompt: string): Promise<void>;
  compact(): Promise<void>;
  /** `/new`: another conversation. */
  startNew(): Promise<void>;
  rename(title: string): Promise<void>;
  /** Goes back to before the last prompt. */
  rewindLast(prompt: string): Promise<void>;
  quit(): Promise<void>;
  kill(): Promise<void>;
}

export interface OpenCodex {
  /** Opens this conversation instead of a new one. */
  readonly resume?: string;
  /** Default: the project. */
  readonly cwd?: string;
}

/** The program inside the package that the adapter uses. */
export function codexProgram(): string {
  const require = createRequire(import.meta.url);
  const name = `@openai/codex-${process.platform}-${process.arch}`;
  const folders = require.resolve.paths(name) ?? [];
  const vendor = folders.map((folder) => join(folder, name, 'vendor')).find((path) => existsSync(path));
  if (vendor === undefined) throw new Error(`The package ${name} is not installed: run "npm install".`);
  const [triple = ''] = readdirSync(vendor);
  return join(vendor, triple, 'bin', 'codex');
}

/** What an empty line for the next prompt looks like. */
const EMPTY = /^› Ask Codex to do anything$/m;
const isIdle = (screen: string) =>
  EMPTY.test(screen) && !screen.includes('esc to interrupt') && !/^ +loading$/m.test(screen);

export async function openCodex(home: TerminalHome, { resume, cwd }: OpenCodex = {}): Promise<CodexTerminal> {
  const { env, tmux } = home;
  const args = resume === undefined ? [] : ['resume', resume];
  const terminal = tmux.open({ program: codexProgram(), args, cwd: cwd ?? home.projectDir, env });
  const idle = () => terminal.until(isIdle, 'an empty prompt', 60_000);
  await idle();

  async function enter(text: string): Promise<void> {
    terminal.type(text);
    await terminal.shows(`› ${text}`);
    terminal.press('Enter');
  }

  /** A prompt before the end of the turn would become part of it. */
  async function turnEnded(prompt: string): Promise<void> {
    const isWritten = () =>
      codexRollouts(home).some((path) => {
        const rows = readFileSync(path, 'utf8').split('\n');
        const answer = rows.findIndex((row) => row.includes(`Answer to ${prompt}.`));
        return answer !== -1 && rows.slice(answer).some((row) => row.includes('"task_complete"'));
      });
    await expect.poll(isWritten).toBe(true);
  }

  return {
    terminal,
    enter,
    async ask(prompt) {
      await enter(prompt);
      await terminal.shows(`Answer to ${prompt}.`);
      await turnEnded(prompt);
      await idle();
    },
    async compact() {
      await enter('/compact');
      await terminal.shows('Context compacted');
      await idle();
    },
    async startNew() {
      await enter('/new');
      await terminal.until((screen) => isIdle(screen) && !screen.includes('Answer to'), 'an empty conversation');
    },
    async rename(title) {
      await enter(`/rename ${title}`);
      await terminal.shows(`· ${title}`);
    },
    async rewindLast(prompt) {
      terminal.press('Escape');
      await terminal.shows('esc again to edit previous message');
      terminal.press('Escape');
      await terminal.shows('Browsing transcript');
      terminal.press('Enter');
      await terminal.shows('Conversation reverted to this point');
      // It offers the prompt to be edited.
      await terminal.shows(`› ${prompt}`);
      terminal.press('C-u');
      await idle();
    },
    async quit() {
      await enter('/quit');
      await terminal.ended();
    },
    async kill() {
      terminal.kill('SIGKILL');
      await terminal.ended();
    },
  };
}

/** `codex exec`: one prompt, then it exits. Resolves to what it printed. */
export function runCodex(home: TerminalHome, prompt: string, { resume, cwd }: OpenCodex = {}): Promise<string> {
  const args = ['exec', '--skip-git-repo-check', ...(resume === undefined ? [] : ['resume', resume]), prompt];
  return runProgram(codexProgram(), args, { cwd: cwd ?? home.projectDir, env: home.env });
}

export function codexRollouts(home: TerminalHome): string[] {
  const sessions = join(home.codexHome, 'sessions');
  if (!existsSync(sessions)) return [];
  return readdirSync(sessions, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(sessions, name))
    .sort();
}

/** The ids of all conversations that Codex has stored, oldest first. A rewound one has several files. */
export function codexSessions(home: TerminalHome): string[] {
  const ids = codexRollouts(home).map((path) => /rollout-.{19}-(.{36})/.exec(path)?.[1] ?? '');
  return [...new Set(ids)];
}
