import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  claudeEnvironment,
  createScratchHome,
  findAgents,
  prepareCodexHome,
  type ScratchHome,
} from '../../../scripted-model/index.ts';

let scratch: ScratchHome;

beforeEach(async () => {
  scratch = await createScratchHome();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await scratch.cleanup();
});

const baseUrl = 'http://127.0.0.1:1234';

describe('a scratch home', () => {
  it('contains a home and a sample project, with their real paths', async () => {
    expect(await realpath(scratch.home)).toBe(scratch.home);
    expect(await readdir(scratch.home)).toEqual([]);
    expect(await readdir(scratch.projectDir)).toContain('README.md');
  });

  it('is removed with all its content by its cleanup', async () => {
    await writeFile(join(scratch.projectDir, 'more.txt'), 'x');
    await scratch.cleanup();
    expect([scratch.home, scratch.projectDir].filter(existsSync)).toEqual([]);
  });
});

describe('the environment of an agent', () => {
  it('points Claude Code at the scripted model and at its scratch home', () => {
    expect(claudeEnvironment({ baseUrl, home: scratch.home })).toMatchObject({
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: expect.stringMatching(/./),
      CLAUDE_CONFIG_DIR: join(scratch.home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      HOME: scratch.home,
    });
  });

  it('points Codex at the scripted model and at its scratch home', async () => {
    const environment = await prepareCodexHome({ baseUrl, home: scratch.home, streamRetries: 2 });
    expect(environment).toMatchObject({
      CODEX_HOME: join(scratch.home, '.codex'),
      NO_BROWSER: '1',
      HOME: scratch.home,
    });
    const config = await readFile(join(scratch.home, '.codex', 'config.toml'), 'utf8');
    expect(config.split('\n')).toEqual(
      expect.arrayContaining([
        'model_provider = "local"',
        `base_url = "${baseUrl}/v1"`,
        'env_key = "LOCAL_KEY"',
        'wire_api = "responses"',
        'request_max_retries = 0',
        'stream_max_retries = 2',
      ]),
    );
    expect(environment.LOCAL_KEY).toMatch(/./);
  });

  it("contains the search path and none of the user's keys and settings", async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'secret');
    vi.stubEnv('OPENAI_API_KEY', 'secret');
    const environments = [
      claudeEnvironment({ baseUrl, home: scratch.home }),
      await prepareCodexHome({ baseUrl, home: scratch.home }),
    ];
    for (const environment of environments) {
      expect(environment.PATH).toBe(process.env.PATH);
      expect(Object.values(environment)).not.toContain('secret');
    }
  });
});

describe('the search for agents', () => {
  it('names the packages that are missing', () => {
    const agents = findAgents(pathToFileURL(join(scratch.projectDir, 'main.js')));
    expect(agents).toEqual({
      claude: { installed: false, reason: expect.stringContaining('@anthropic-ai/claude-agent-sdk ') },
      codex: { installed: false, reason: expect.stringContaining('@agentclientprotocol/codex-acp ') },
    });
  });

  it('names the platform package when only the binary is missing', async () => {
    await install('@anthropic-ai/claude-agent-sdk', {});
    expect(findAgents(pathToFileURL(join(scratch.projectDir, 'main.js'))).claude).toEqual({
      installed: false,
      reason: expect.stringContaining(`@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch} `),
    });
  });

  it('finds the script that the adapter package names', async () => {
    const directory = await install('@agentclientprotocol/codex-acp', { bin: { 'codex-acp': 'dist/start.js' } });
    expect(findAgents(pathToFileURL(join(scratch.projectDir, 'main.js'))).codex).toEqual({
      installed: true,
      path: join(directory, 'dist/start.js'),
    });
  });
});

async function install(name: string, manifest: object): Promise<string> {
  const directory = join(scratch.projectDir, 'node_modules', name);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name, ...manifest }));
  return directory;
}
