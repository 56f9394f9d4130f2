import { describeCommand, type Found, findHooks, isRecord } from '../../../trust/index.ts';
import { isHarmlessSetting, kindOfSetting } from './settings-keys.ts';

/** What a settings.json would run or allow. */
export function findInSettings(settings: unknown): readonly Found[] {
  if (!isRecord(settings)) return [{ kind: 'unreadable', name: 'settings', value: settings }];
  return Object.entries(settings).flatMap(([key, value]) => {
    if (isHarmlessSetting(key) || isEmpty(value)) return [];
    if (key === 'enableAllProjectMcpServers' && value === false) return [];
    if (key === 'hooks') return findHooks(value);
    if (key === 'env') return findVariables(value);
    if (key === 'permissions') return findRules(value);
    return [{ kind: kindOfSetting(key), name: key, value, detail: describeCommand(value) }];
  });
}

/** What a .mcp.json would run. */
export function findInMcpJson(contents: unknown): readonly Found[] {
  const servers = isRecord(contents) && 'mcpServers' in contents ? contents.mcpServers : contents;
  if (!isRecord(servers)) return [{ kind: 'unreadable', name: '.mcp.json', value: contents }];
  return Object.entries(servers).map(([name, server]) => ({
    kind: 'mcp-server',
    name,
    value: server,
    detail: describeCommand(server),
  }));
}

function findVariables(env: unknown): readonly Found[] {
  if (!isRecord(env)) return [{ kind: 'env', name: 'env', value: env }];
  return Object.entries(env).map(([name, value]) => ({ kind: 'env', name, value, detail: String(value) }));
}

/** Rules that deny or ask only narrow what may run. */
function findRules(permissions: unknown): readonly Found[] {
  if (!isRecord(permissions)) return [{ kind: 'rule', name: 'permissions', value: permissions }];
  return Object.entries(permissions).flatMap(([key, value]) => {
    if (key === 'deny' || key === 'ask' || isEmpty(value)) return [];
    if (Array.isArray(value)) return value.map((rule: unknown) => ({ kind: 'rule' as const, name: key, value: rule }));
    return [{ kind: 'rule', name: key, value }];
  });
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0;
}
