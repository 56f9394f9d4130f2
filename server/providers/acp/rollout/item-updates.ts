import { basename, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionUpdate, ToolContent, ToolReport } from '../translate/session-update.ts';
import { pathOf, reportCommand } from './command-report.ts';
import { diffsOfChanges } from './patch-diffs.ts';
import type { ItemOf, RolloutItem, UserInput } from './rollout-item.ts';

/** A stored item as the updates that the agent would report about it when it loads the session. */
export function updatesOfItem(item: RolloutItem, projectDir: string): SessionUpdate[] {
  switch (item.type) {
    case 'UserMessage':
      return message('user_message_chunk', item.id, item.content.map(textOfInput).filter(Boolean).join('\n'));
    case 'AgentMessage': {
      const written = item.content.map(({ text }) => text).join('');
      return message('agent_message_chunk', item.id, linkCitations(written, projectDir));
    }
    case 'Plan':
      return message('agent_message_chunk', item.id, item.text);
    case 'Reasoning': {
      const parts = item.summary_text.length > 0 ? item.summary_text : item.raw_content;
      return parts.flatMap((part) => message('agent_thought_chunk', item.id, part));
    }
    case 'EnteredReviewMode':
      return notice(`Entered review mode: ${item.user_facing_hint ?? ''}`);
    case 'ExitedReviewMode':
      return notice(`Exited review mode: ${item.review_output?.overall_explanation ?? ''}`);
    // What a sub-agent does is read from its own file.
    case 'SubAgentActivity':
      return [];
    case 'CollabAgentToolCall':
      return item.tool === 'spawnAgent' || item.tool === 'spawn_agent' ? [] : [call(reportCollab(item))];
    default:
      return [call(reportCall(item))];
  }
}

type Call = Exclude<
  RolloutItem,
  {
    type:
      | 'UserMessage'
      | 'AgentMessage'
      | 'Plan'
      | 'Reasoning'
      | 'EnteredReviewMode'
      | 'ExitedReviewMode'
      | 'SubAgentActivity'
      | 'CollabAgentToolCall';
  }
>;

function reportCall(item: Call): ToolReport {
  const toolCallId = item.id;
  switch (item.type) {
    case 'CommandExecution':
      return reportCommand(item);
    case 'FileChange': {
      const content = diffsOfChanges(item.changes);
      return { toolCallId, title: 'Editing files', kind: 'edit', status: statusOf(item.status), content };
    }
    case 'McpToolCall': {
      const { server, tool, arguments: given, result = null, error = null } = item;
      return {
        toolCallId,
        title: `mcp.${server}.${tool}`,
        kind: 'execute',
        status: statusOf(item.status),
        rawInput: { server, tool, arguments: given },
        ...((result !== null || error !== null) && { rawOutput: { result, error } }),
      };
    }
    case 'DynamicToolCall':
      return {
        toolCallId,
        name: `${item.namespace ?? ''}${item.tool}`,
        title: item.tool,
        kind: 'execute',
        status: statusOf(item.status),
        rawInput: { arguments: item.arguments },
        content: (item.content_items ?? []).map(({ type, text }) => textContent(text ?? `[${type}]`)),
      };
    case 'WebSearch':
      return { toolCallId, title: searchTitle(item), kind: 'search', status: 'completed', ...searchInput(item) };
    case 'ImageView': {
      const path = pathOf(item.path);
      return {
        toolCallId,
        name: 'view_image',
        title: `View Image ${path}`,
        kind: 'read',
        status: 'completed',
        content: [textContent(`[${path}](${path})`)],
        locations: [{ path }],
        rawInput: { path },
      };
    }
    case 'ImageGeneration': {
      const prompt = item.revised_prompt ? [textContent(`Revised prompt: ${item.revised_prompt}`)] : [];
      const content = [...prompt, textContent(item.saved_path ? `[image](${item.saved_path})` : '[image]')];
      const status = item.status === 'failed' ? 'failed' : 'completed';
      return { toolCallId, title: 'Image generation', kind: 'other', status, content };
    }
    case 'ContextCompaction':
      return { toolCallId, title: 'Compact conversation', kind: 'think', status: 'completed' };
    default:
      return item satisfies never;
  }
}

function reportCollab(item: ItemOf<'CollabAgentToolCall'>): ToolReport {
  const { id, tool, status, prompt = null, model = null, reasoning_effort: reasoningEffort = null } = item;
  const { sender_thread_id: senderThreadId, receiver_thread_ids: receiverThreadIds } = item;
  const agentsStates = item.agents_states;
  const rawInput = { prompt, senderThreadId, receiverThreadIds, agentsStates, model, reasoningEffort, status };
  return { toolCallId: id, title: tool, kind: 'other', status: statusOf(status), rawInput };
}

function statusOf(status: string): 'completed' | 'failed' {
  return status === 'completed' ? 'completed' : 'failed';
}

function message(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  messageId: string,
  content: string,
): SessionUpdate[] {
  return content === '' ? [] : [{ sessionUpdate, messageId, content }];
}

/** A chunk without an id. */
function notice(content: string): SessionUpdate[] {
  return [{ sessionUpdate: 'agent_message_chunk', messageId: undefined, content }];
}

function call(report: ToolReport): SessionUpdate {
  return { sessionUpdate: 'tool_call', ...report };
}

function textContent(content: string): ToolContent {
  return { type: 'content', content };
}

/** Images are named and not shown: a data URL would be megabytes of text. */
function textOfInput({ type, text, name, path }: UserInput): string {
  switch (type) {
    case 'text':
      return text ?? '';
    case 'image':
      return '[image]';
    case 'audio':
      return '[audio]';
    case 'skill':
      return `skill:${name ?? ''} (${path ?? ''})`;
    default:
      return path ? `[${name?.trim() || basename(path)}](${isAbsolute(path) ? pathToFileURL(path).href : path})` : '';
  }
}

function searchTitle({ query, action }: ItemOf<'WebSearch'>): string {
  switch (action?.type) {
    case 'open_page':
      return action.url ? `Open page: ${action.url}` : 'Open page';
    case 'find_in_page': {
      const pattern = action.pattern ? ` for '${action.pattern}'` : '';
      return `Find in page${pattern}${action.url ? ` in ${action.url}` : ''}`;
    }
    default: {
      const searched = action?.query || action?.queries?.filter(Boolean).join(', ') || query;
      return searched ? `Web search: ${searched}` : 'Web search';
    }
  }
}

function searchInput({ query, action }: ItemOf<'WebSearch'>): Pick<ToolReport, 'rawInput'> {
  return query || action ? { rawInput: { query: query ?? '', ...(action && { action }) } } : {};
}

/** The model names files in a notation of its own. */
const CITATION = /:{1,3}codex-file-citation\{[^}\n]*?\bpath=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s}]+))[^}\n]*\}/g;

function linkCitations(text: string, projectDir: string): string {
  return text.replaceAll(CITATION, (_whole, double?: string, single?: string, bare?: string) => {
    const path = double ?? single ?? bare ?? '';
    const target = isAbsolute(path) ? path : join(projectDir, path);
    return `[${path.replaceAll(/[[\]]/g, '\\$&')}](${/[\s()<>]/.test(target) ? `<${target.replaceAll(/[<>]/g, '\\$&')}>` : target})`;
  });
}
