import type { StreamAction } from '../../../streaming/stream-actions.ts';
import { finishTask, type Launch } from '../content/background-tasks.ts';
import { type Translation, translation } from '../content/translation.ts';
import type { BackgroundTask, Cause, LiveState } from './live-state.ts';
import type { NativeMessageOf, TaskOutputMessage } from './native-messages.ts';

type SystemMessage = NativeMessageOf<'system'>;
type TaskMessage<S extends SystemMessage['subtype']> = Extract<SystemMessage, { subtype: S }>;

export function startTask(state: LiveState, message: TaskMessage<'task_started'>): Translation<LiveState> {
  const { task_id: taskId, tool_use_id: callId, description } = message;
  const turnId = turnOfCall(state, message);
  if (callId === undefined || turnId === undefined) return translation(state);
  const isBackground = message.is_backgrounded === true;
  const isAgent = message.task_type === 'local_agent';
  const isInner = message.parent_task_id !== undefined;
  const task = { callId, turnId, description, isAgent, isBackground, isInner, isMonitor: false, output: '' };
  return translation(withTask(state, taskId, task), ...(isBackground ? [goOn(taskId, task)] : []));
}

/** A task that an agent started belongs to the turn of that agent, whichever runs now. */
function turnOfCall(state: LiveState, message: TaskMessage<'task_started'>): string | undefined {
  const parent = message.parent_task_id === undefined ? undefined : state.tasks.get(message.parent_task_id);
  return parent?.turnId ?? state.turn?.turnId;
}

export function updateTask(state: LiveState, message: TaskMessage<'task_updated'>): Translation<LiveState> {
  const { task_id: taskId, patch } = message;
  const task = state.tasks.get(taskId);
  if (patch.is_backgrounded !== true || task === undefined || task.isBackground) return translation(state);
  return translation(withTask(state, taskId, { ...task, isBackground: true }), goOn(taskId, task));
}

/** The result of the call says that it goes on: usually known by then, but not always. */
export function confirmLaunch(
  state: LiveState,
  place: { readonly turnId: string; readonly callId: string },
  { taskId, kind }: Launch,
): Translation<LiveState> {
  const known = state.tasks.get(taskId);
  const task: BackgroundTask = {
    description: '',
    output: '',
    isInner: false,
    ...known,
    ...place,
    turnId: known?.turnId ?? place.turnId,
    isAgent: kind === 'agent',
    isMonitor: kind === 'monitor',
    isBackground: true,
  };
  return translation(withTask(state, taskId, task), ...(known?.isBackground ? [] : [goOn(taskId, task)]));
}

export function showTaskOutput(state: LiveState, message: TaskOutputMessage): Translation<LiveState> {
  const task = state.tasks.get(message.task_id);
  if (task === undefined || task.isAgent || task.output === message.output) return translation(state);
  const { callId, turnId } = task;
  const { output } = message;
  return translation(withTask(state, message.task_id, { ...task, output }), {
    do: 'tool_output',
    callId,
    turnId,
    output,
  });
}

/** A task of the foreground ends with the result of its call. */
export function endTask(state: LiveState, message: TaskMessage<'task_notification'>): Translation<LiveState> {
  const { task_id: taskId, status, summary, run_id: runId } = message;
  const task = state.tasks.get(taskId);
  if (task !== undefined && !task.isBackground) return translation(withoutTask(state, taskId));
  const cause: Cause = { runId, text: causeOf(message, task), isStop: status === 'stopped' };
  const causes = task?.isInner ? state.causes : [...state.causes, cause];
  const next = { ...withoutTask(state, taskId), causes };
  if (task === undefined) return translation(next);
  const output = task.isAgent ? (state.subAgents.get(task.callId)?.report?.text ?? '') : task.output;
  return translation(next, finishTask({ ...task, output }, { status, summary }));
}

/** In the same words as in the transcript. */
function causeOf(message: TaskMessage<'task_notification'>, task: BackgroundTask | undefined): string {
  const { status, summary } = message;
  if (task === undefined || !task.isAgent) return summary;
  const agent = `Agent "${task.description}"`;
  if (status === 'stopped') return `${agent} was stopped by user`;
  return status === 'failed' ? `${agent} failed: ${summary}` : `${agent} finished`;
}

/**
 * Why the agent begins a turn by itself: a task ended, or a monitor that runs saw something. An agent that was stopped
 * by an interruption causes no turn, so another cause goes first.
 */
export function takeCause(state: LiveState): { readonly state: LiveState; readonly text: string } {
  const cause = state.causes.find(({ isStop }) => !isStop) ?? state.causes[0];
  if (cause !== undefined) {
    return { state: { ...state, causes: state.causes.filter((other) => other !== cause) }, text: cause.text };
  }
  const monitor = [...state.tasks.values()].find(({ isMonitor }) => isMonitor);
  return { state, text: monitor === undefined ? '' : `Monitor event: "${monitor.description}"` };
}

/** The agent ended a turn of its own without asking the model: what caused it is part of the next one. */
export function dropCause(state: LiveState, runId: string | undefined): LiveState {
  const dropped = state.causes.find((cause) => cause.runId === runId);
  return dropped === undefined ? state : { ...state, causes: state.causes.filter((cause) => cause !== dropped) };
}

function goOn(taskId: string, { callId, turnId }: BackgroundTask): StreamAction {
  return { do: 'tool_background', callId, taskId, turnId };
}

function withTask(state: LiveState, taskId: string, task: BackgroundTask): LiveState {
  return { ...state, tasks: new Map(state.tasks).set(taskId, task) };
}

function withoutTask(state: LiveState, taskId: string): LiveState {
  const tasks = new Map(state.tasks);
  tasks.delete(taskId);
  return { ...state, tasks };
}
