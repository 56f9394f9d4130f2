import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findAgents } from '../../../scripted-model/index.ts';
import { runProgram } from './run-program.ts';
import type { TerminalHome } from './terminal-home.ts';
import type { Terminal } from './tmux.ts';

/** Claude Code at its prompt in a terminal. The scripted model has to answer `Answer to <prompt>.`. */
export interface ClaudeTerminal {
  readonly terminal: Terminal;
  /** The id of its conversation, from its registry. `/clear` changes it. */
  sessionId(): string;
  /** Types a prompt and waits for the end of the turn. */
  ask(prompt: string): Promise<void>;
  /** Types a prompt and Enter, without waiting for the answer. */
  enter(prompt: string): Promise<void>;
  compact(): Promise<void>;
  clear(): Promise<void>;
  rename(title: string): Promise<void>;
  /** Goes back to before this prompt. Claude Code writes nothing until the next one. */
  rewindTo(prompt: string): Promise<void>;
  idle(): Promise<void>;
  quit(): Promise<void>;
  kill(): Promise<void>;
}

export function claudeProgram(): string {
  const { claude } = findAgents();
  if (!claude.installed) throw new Error(claude.reason);
  return claude.path;
}

export interface OpenClaude {
  /** Opens this conversation instead of a new one. */
  readonly resume?: string;
  /** Default: the project. */
  readonly cwd?: string;
}

export async function openClaude(home: TerminalHome, { resume, cwd }: OpenClaude = {}): Promise<ClaudeTerminal> {
  const { env, tmux } = home;
  const args = resume === undefined ? [] : ['--resume', resume];
  const terminal = tmux.open({ program: claudeProgram(), args, cwd: cwd ?? home.projectDir, env });
  const registry = () => readRegistry(home, terminal.pid);
  await terminal.shows(/^❯\s*$/m);
  await expect.poll(() => registry()?.sessionId ?? '').toMatch(resume ?? /./);

  async function enter(text: string): Promise<void> {
    terminal.type(text);
    await terminal.shows(`❯ ${text}`);
    terminal.press('Enter');
  }

  /** The screen is ahead of the file. */
  async function written(prompt: string): Promise<void> {
    const path = claudeTranscripts(home).find((each) => each.includes(registry()?.sessionId ?? ''));
    const isWritten = (text: string) => {
      const answer = text.lastIndexOf(`Answer to ${prompt}.`);
      return answer !== -1 && text.includes('"turn_duration"', answer);
    };
    await expect.poll(() => path !== undefined && isWritten(readFileSync(path, 'utf8'))).toBe(true);
  }

  const idle = async () => void (await expect.poll(registry).toMatchObject({ status: 'idle' }));

  return {
    terminal,
    sessionId: () => registry()?.sessionId ?? '',
    enter,
    idle,
    async ask(prompt) {
      await enter(prompt);
      await terminal.shows(`Answer to ${prompt}.`);
      await written(prompt);
      await idle();
    },
    async compact() {
      const before = count(terminal.screen(), 'Compacted');
      await enter('/compact');
      await terminal.until((screen) => count(screen, 'Compacted') > before, 'a further compaction');
      await idle();
    },
    async clear() {
      const before = registry()?.sessionId;
      await enter('/clear');
      await expect.poll(() => registry()?.sessionId).not.toBe(before);
      await terminal.shows(/^❯\s*$/m);
    },
    async rename(title) {
      await enter(`/rename ${title}`);
      await terminal.shows(`Session renamed to: ${title}`);
    },
    async rewindTo(prompt) {
      await enter('/rewind');
      await terminal.shows('Restore the code and/or conversation');
      const chosen = (screen: string) => /^ +❯ (.*)$/m.exec(screen)?.[1];
      await terminal.until((screen) => chosen(screen) === '(current)', 'where it stands');
      for (let now: string | undefined = '(current)'; now !== prompt; ) {
        const before = now;
        terminal.press('Up');
        now = chosen(await terminal.until((screen) => chosen(screen) !== before, 'another choice'));
      }
      terminal.press('Enter');
      await terminal.shows('❯ 1. Restore conversation');
      terminal.press('Enter');
      // It offers the prompt to be edited.
      await terminal.shows(new RegExp(`^❯ ${prompt}\\s*$`, 'm'));
      await terminal.until((screen) => !screen.includes('Restore conversation'), 'its prompt');
      terminal.press('C-u');
      await terminal.shows(/^❯\s*$/m);
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

const count = (text: string, part: string) => text.split(part).length - 1;

interface RegistryEntry {
  readonly sessionId?: string;
  readonly status?: string;
}

/** Undefined before it is written, and for a process that has left. */
function readRegistry(home: TerminalHome, pid: number): RegistryEntry | undefined {
  const path = join(home.claudeHome, 'sessions', `${pid}.json`);
  try {
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RegistryEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** `claude -p`: one prompt, then it exits. Resolves to the answer. */
export function runClaude(home: TerminalHome, prompt: string, { resume, cwd }: OpenClaude = {}): Promise<string> {
  const args = ['-p', prompt, ...(resume === undefined ? [] : ['--resume', resume])];
  return runProgram(claudeProgram(), args, { cwd: cwd ?? home.projectDir, env: home.env });
}

export function claudeTranscripts(home: TerminalHome): string[] {
  const projects = join(home.claudeHome, 'projects');
  if (!existsSync(projects)) return [];
  return readdirSync(projects).flatMap((folder) =>
    readdirSync(join(projects, folder))
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(projects, folder, name)),
  );
}
