import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const COLUMNS = 140;
const ROWS = 50;
const POLL_MS = 50;

/** A program in a terminal of its own. */
export interface Terminal {
  readonly pid: number;
  /** The device, such as `pts/3`. */
  readonly tty: string;
  /** What it shows now, without empty lines at the end and with plain spaces only. */
  screen(): string;
  /** Types a text as a person does, without Enter. */
  type(text: string): void;
  /** Presses keys by the names that tmux gives them: `Enter`, `Escape`, `Up`. */
  press(...keys: readonly string[]): void;
  /** Resolves to the screen as soon as this holds. Rejects with the screen after the deadline. */
  until(holds: (screen: string) => boolean, what: string, deadlineMs?: number): Promise<string>;
  /** Resolves when the screen shows the text. */
  shows(text: string | RegExp, deadlineMs?: number): Promise<string>;
  isRunning(): boolean;
  /** Resolves when the program has ended. */
  ended(deadlineMs?: number): Promise<void>;
  kill(signal?: NodeJS.Signals): void;
}

export interface TerminalCommand {
  readonly program: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Tmux {
  open(command: TerminalCommand): Terminal;
  /** Ends the tmux server, and with it everything that still runs in its terminals. */
  close(): void;
}

/** Terminals on a tmux server of their own, which reads none of the user's settings. */
export function createTmux(): Tmux {
  const folder = mkdtempSync(join(tmpdir(), 'liminal-tmux-'));
  const socket = join(folder, 'socket');
  let opened = 0;

  function tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', stdio: 'pipe' });
  }

  return {
    open({ program, args = [], cwd, env }) {
      opened += 1;
      const name = `t${opened}`;
      const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
      const variables = Object.entries({ ...env, TERM: 'xterm-256color' }).map(([key, value]) => `${key}=${value}`);
      // The window stays when its program ends, so that a failed test can say what it showed last.
      tmux(
        'set-option',
        '-g',
        'remain-on-exit',
        'on',
        ';',
        ...['new-session', '-d', '-s', name],
        ...size,
        '-c',
        cwd,
        'env',
        '-i',
        ...variables,
        program,
        ...args,
      );
      return terminalOf(name);
    },
    close() {
      if (opened > 0) tmux('kill-server');
      rmSync(folder, { recursive: true, force: true });
    },
  };

  function terminalOf(name: string): Terminal {
    const ask = (format: string) => tmux('display-message', '-p', '-t', name, `#{${format}}`).trim();
    const pid = Number(ask('pane_pid'));
    const tty = ask('pane_tty').replace(/^\/dev\//, '');
    const screen = () => tmux('capture-pane', '-p', '-t', name).replaceAll('\u00a0', ' ').trimEnd();
    const isRunning = () => ask('pane_dead') === '0';

    async function until(holds: (screen: string) => boolean, what: string, deadlineMs = 20_000): Promise<string> {
      const deadline = performance.now() + deadlineMs;
      for (;;) {
        const shown = screen();
        if (holds(shown)) return shown;
        if (performance.now() > deadline) throw new Error(`The terminal did not show ${what}. It shows:\n${shown}`);
        await delay(POLL_MS);
      }
    }

    return {
      pid,
      tty,
      screen,
      type: (text) => void tmux('send-keys', '-t', name, '-l', text),
      press: (...keys) => void tmux('send-keys', '-t', name, ...keys),
      until,
      shows: (text, deadlineMs) =>
        until(
          (shown) => (typeof text === 'string' ? shown.includes(text) : text.test(shown)),
          `"${String(text)}"`,
          deadlineMs,
        ),
      isRunning,
      async ended(deadlineMs) {
        await until(() => !isRunning(), 'its end', deadlineMs);
      },
      kill(signal = 'SIGKILL') {
        process.kill(pid, signal);
      },
    };
  }
}
