import { expect, it } from 'vitest';
import { readSources } from '../../../scripts/layers/read-sources.ts';

/** Modules of the server that open files by themselves, and which ones. None of them is in the data directory. */
const allowed: Readonly<Record<string, string>> = {
  'server/private-files.ts': 'opens the files of the data directory',
  'server/store/file-system.ts': 'directories, to sync them',
  'server/log.ts': 'writes to a descriptor of private-files.ts',
  'server/processes/process-ledger.ts': 'writes to a descriptor of private-files.ts',
  'server/providers/envelope/transcript.ts': 'writes to a descriptor of private-files.ts',
  'server/open-files.ts': '/proc',
  'server/found/file-ends.ts': 'files of agents',
  'server/found/places.ts': 'files of Git in a project',
  'server/keep/put-back.ts': 'files of agents',
  'server/keep/source-file.ts': 'files of agents',
  'server/processes/linux-process-table.ts': '/proc',
  'server/processes/terminal-of.ts': '/proc',
  'server/toml.ts': 'settings of agents',
  'server/trust/settings-file.ts': 'settings of a project',
  'server/providers/native-files.ts': 'files of agents',
  'server/providers/acp/agents/codex-agent.ts': 'a package manifest',
  'server/providers/acp/locks/file-locks.ts': '/proc',
  'server/providers/acp/locks/process-facts.ts': '/proc',
  'server/providers/acp/rollout/file-progress.ts': 'files of Codex',
  'server/providers/acp/rollout/first-row.ts': 'files of Codex',
  'server/providers/acp/rollout/fork-rollout.ts': 'files of Codex',
  'server/providers/acp/rollout/scan-lines.ts': 'files of Codex',
  'server/providers/acp/rollout/subagent-ids.ts': 'files of Codex',
  'server/providers/acp/workspace/project-files.ts': 'files of a project',
  'server/providers/claude/content/output-file.ts': 'files of Claude Code',
  'server/providers/claude/process/claude-access.ts': 'settings of Claude Code',
  'server/providers/claude/process/running-sessions.ts': 'files of Claude Code',
  'server/data-archive/import-data.ts': 'the archive, which is not in the data directory',
  'server/providers/claude/transcript/change-transcript.ts': 'files of Claude Code',
  'server/providers/claude/transcript/context-reader.ts': 'files of Claude Code',
  'server/providers/claude/transcript/fork-transcript.ts': 'files of Claude Code',
  'server/providers/claude/transcript/newest-entries.ts': 'files of Claude Code',
  'server/providers/claude/transcript/transcript-lines.ts': 'files of Claude Code',
  'server/providers/claude/transcript/transcript-files.ts': 'files of Claude Code',
  'server/demo/demo-project.ts': 'the sample project',
  'server/demo/demo-scenarios.ts': 'the sample project',
};

const IMPORT = /import\s+(?:type\s+)?(\{[^}]*\}|\*\s+as\s+\w+|\w+)\s+from\s+'(?:node:)?fs(?:\/promises)?'/g;
const OPENING =
  /\b(?:open|openSync|readFile|readFileSync|writeFile|writeFileSync|appendFile|appendFileSync|cp|copyFile|copyFileSync|createReadStream|createWriteStream)\b|^[^{]/;

function opensFiles(source: string): boolean {
  return [...source.matchAll(IMPORT)].some(([, names = '']) => OPENING.test(names));
}

it('safe/data-directory files of the data directory are opened in one place only', () => {
  const found = [...readSources()].filter(([path, source]) => path.startsWith('server/') && opensFiles(source));

  expect(found.map(([path]) => path).sort()).toEqual(Object.keys(allowed).sort());
});

it.each(["import { readFile } from 'node:fs/promises';", "import fs from 'node:fs';", "import * as fs from 'fs';"])(
  'safe/data-directory %s counts as opening files',
  (source) => {
    expect(opensFiles(source)).toBe(true);
    expect(opensFiles("import { existsSync, type Stats } from 'node:fs';")).toBe(false);
  },
);
