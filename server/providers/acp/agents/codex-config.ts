import type { WouldRun } from '../../../../shared/entities.ts';
import { describeCommand, type Found, findHooks, isRecord } from '../../../trust/index.ts';

/** Keys of a project's config.toml that neither run something nor widen what may run, as of Codex 0.166. */
const HARMLESS: ReadonlySet<string> = new Set([
  'compact_prompt',
  'description',
  'developer_instructions',
  'file_opener',
  'hide_agent_reasoning',
  'instructions',
  'model',
  'model_auto_compact_token_limit',
  'model_context_window',
  'model_reasoning_effort',
  'model_reasoning_summary',
  'model_verbosity',
  'name',
  'nickname_candidates',
  'personality',
  'plan_mode_reasoning_effort',
  'project_doc_fallback_filenames',
  'project_doc_max_bytes',
  'review_model',
  'show_raw_agent_reasoning',
  'tui',
]);

const KINDS: Readonly<Record<string, WouldRun['kind']>> = {
  approval_policy: 'rule',
  default_permissions: 'rule',
  marketplaces: 'plugin',
  notify: 'helper',
  permissions: 'rule',
  plugins: 'plugin',
  projects: 'rule',
  sandbox_mode: 'rule',
  sandbox_workspace_write: 'rule',
  shell_environment_policy: 'env',
};

/** What a config.toml, or the file of a sub-agent, would run or allow. */
export function findInCodexConfig(config: unknown): readonly Found[] {
  if (!isRecord(config)) return [{ kind: 'unreadable', name: 'config', value: config }];
  return Object.entries(config).flatMap(([key, value]): readonly Found[] => {
    if (HARMLESS.has(key)) return [];
    if (key === 'hooks') return findHooks(value);
    if (key === 'mcp_servers' && isRecord(value)) return findServers(value);
    const kind = Object.hasOwn(KINDS, key) ? (KINDS[key] ?? 'setting') : 'setting';
    return [{ kind, name: key, value: plain(value), detail: describe(plain(value)) }];
  });
}

function findServers(servers: Readonly<Record<string, unknown>>): readonly Found[] {
  return Object.entries(servers).map(([name, server]) => ({
    kind: 'mcp-server',
    name,
    value: plain(server),
    detail: describeCommand(server),
  }));
}

const describe = (value: unknown): string =>
  Array.isArray(value) && value.every((part) => typeof part === 'string') ? value.join(' ') : describeCommand(value);

/** TOML has dates and large integers, which are compared by their text. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'null',
  );
}
