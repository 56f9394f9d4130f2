import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ScratchHome {
  readonly home: string;
  /** A small project inside the scratch directory. */
  readonly projectDir: string;
  /** Removes everything, including what the agents wrote. */
  cleanup(): Promise<void>;
}

const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'README.md': '# Sample project\n\nA place where agents may read, write and run things.\n',
  'greeting.txt': 'Hello\nfrom a sample file.\n',
};

/** Creates a home directory and a sample project. The paths contain no symbolic links. */
export async function createScratchHome(): Promise<ScratchHome> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'scripted-model-')));
  const home = join(root, 'home');
  const projectDir = join(root, 'project');
  await mkdir(home);
  await mkdir(projectDir);
  for (const [name, content] of Object.entries(SAMPLE_FILES)) await writeFile(join(projectDir, name), content);
  return {
    home,
    projectDir,
    cleanup: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}
