import type { UpsertObject } from '../../shared/stream-contracts.ts';

export function speakerOf(entry: UpsertObject, agentLabel: string): string {
  const by = entry.parentItemId === undefined ? '' : ' (sub-agent)';
  switch (entry.type) {
    case 'message':
      return `${entry.origin === 'user' ? 'You' : entry.origin === 'system' ? 'Notice' : agentLabel}${by}`;
    case 'thinking':
      return `Thinking${by}`;
    case 'tool_call':
      return `Tool: ${entry.toolName}${by}`;
  }
}

/** What became of an entry, where that is not that it was finished. */
export function marksOf(entry: UpsertObject): string[] {
  const marks: string[] = [];
  if (entry.status === 'create' || entry.status === 'update') marks.push('not finished');
  if (entry.status === 'error') marks.push(['failed', entry.errorCode, entry.errorMessage].filter(Boolean).join(': '));
  if (entry.type === 'tool_call' && entry.toolOutputIsError) marks.push('failed');
  if (entry.type === 'tool_call' && entry.exitCode !== undefined) marks.push(`exit code ${entry.exitCode}`);
  if (entry.inContext === false) marks.push('not in the context of the model');
  return marks;
}
