import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  claudeEnvironment,
  createScratchHome,
  prepareCodexHome,
  type ScriptedModel,
} from '../../../scripted-model/index.ts';
import { processesWithHome } from '../processes/with-home.ts';
import { createTmux, type Tmux } from './tmux.ts';

/** A home in which both agents run in terminals, offline, and beside them the product. */
export interface TerminalHome {
  readonly home: string;
  readonly claudeHome: string;
  readonly codexHome: string;
  readonly projectDir: string;
  /** The complete environment of both agents. */
  readonly env: Readonly<Record<string, string>>;
  readonly tmux: Tmux;
  /** Creates a directory beside the project in which the agents start without a question. */
  addDirectory(name: string): string;
  /** Ends everything that runs in this home, and removes it. */
  close(): Promise<void>;
}

export async function createTerminalHome(model: Pick<ScriptedModel, 'url'>): Promise<TerminalHome> {
  const scratch = await createScratchHome();
  const agent = { baseUrl: model.url, home: scratch.home };
  const env = { ...claudeEnvironment(agent), ...(await prepareCodexHome(agent)) };
  const claudeHome = join(scratch.home, '.claude');
  const codexHome = join(scratch.home, '.codex');
  const claudeSettings = join(claudeHome, '.claude.json');
  const codexSettings = join(codexHome, 'config.toml');
  mkdirSync(claudeHome);
  const approved = [(env.ANTHROPIC_API_KEY ?? '').slice(-20)];
  const answered = { hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: { approved, rejected: [] } };
  writeFileSync(claudeSettings, JSON.stringify({ ...answered, projects: {} }));
  // Otherwise Enter right after a text is part of what Codex takes for a paste.
  writeFileSync(codexSettings, `disable_paste_burst = true\n${readFileSync(codexSettings, 'utf8')}`);
  trust(scratch.projectDir);
  const tmux = createTmux();

  function trust(directory: string): void {
    const settings = JSON.parse(readFileSync(claudeSettings, 'utf8')) as { projects: Record<string, object> };
    settings.projects[directory] = { hasTrustDialogAccepted: true };
    writeFileSync(claudeSettings, JSON.stringify(settings));
    appendFileSync(codexSettings, `\n[projects."${directory}"]\ntrust_level = "trusted"\n`);
  }

  return {
    home: scratch.home,
    claudeHome,
    codexHome,
    projectDir: scratch.projectDir,
    env,
    tmux,
    addDirectory(name) {
      const directory = join(scratch.projectDir, '..', name);
      mkdirSync(directory, { recursive: true });
      trust(directory);
      return directory;
    },
    async close() {
      tmux.close();
      // Codex leaves a daemon and an updater behind.
      for (const { pid } of processesWithHome(scratch.home)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      await scratch.cleanup();
    },
  };
}
