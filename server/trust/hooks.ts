import { type Found, isRecord } from './would-run.ts';

/** Hooks as both Claude Code and Codex write them: `{Event: [{matcher, hooks: [{type, command}]}]}`. */
export function findHooks(hooks: unknown): readonly Found[] {
  if (!isRecord(hooks)) return [{ kind: 'hook', name: 'hooks', value: hooks }];
  return Object.entries(hooks).flatMap(([event, groups]) => {
    const list = Array.isArray(groups) ? groups : [groups];
    return list.flatMap((group: unknown) => ofGroup(event, group));
  });
}

function ofGroup(event: string, group: unknown): readonly Found[] {
  if (!isRecord(group) || !Array.isArray(group.hooks)) return [{ kind: 'hook', name: event, value: group }];
  const { matcher, hooks } = group;
  const name = typeof matcher === 'string' && matcher !== '' ? `${event} (${matcher})` : event;
  return hooks.map((hook: unknown) => ({ kind: 'hook', name, value: hook, detail: describeCommand(hook) }));
}

/** The command line or address of a hook or a server, or all of it if it has neither. */
export function describeCommand(value: unknown): string {
  if (isRecord(value)) {
    const { command, args, url, env } = value;
    const line = [command, ...(Array.isArray(args) ? args : [])].filter((part) => typeof part === 'string');
    const variables = isRecord(env) ? Object.entries(env).map(([key, text]) => `${key}=${String(text)}`) : [];
    if (typeof command === 'string') return [...variables, ...line].join(' ');
    if (typeof url === 'string') return url;
  }
  return JSON.stringify(value) ?? '';
}
