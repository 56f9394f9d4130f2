import {
  createScratchHome,
  cut,
  delegate,
  editFile,
  type FoundAgent,
  fail,
  overloaded,
  type Rule,
  readFile,
  type ScratchHome,
  type ScriptedModel,
  say,
  shell,
  startScriptedModel,
  think,
  writeFile,
} from '../../../scripted-model/index.ts';

/** Every kind of step that both agents support. */
const rules: readonly Rule[] = [
  { when: 'hello', scenario: [[say('Hello from the scripted model.')]] },
  {
    when: 'run',
    scenario: [[say('I will run it.'), shell('printf made > made.txt && cat made.txt')], [say('It ran.')]],
  },
  { when: 'two', scenario: [[think('Two at once.'), shell('echo one'), shell('echo two')], [say('Both ran.')]] },
  {
    when: 'edit',
    scenario: [
      [readFile('greeting.txt')],
      [editFile('greeting.txt', 'Hello\n', 'Goodbye\n'), writeFile('notes/new.txt', 'first\nsecond\n')],
      [say('Edited.')],
    ],
  },
  { when: 'delegate', scenario: [[delegate('look around')], [say('The task is given.')]] },
  { when: 'look', scenario: [[shell('echo looked')], [say('I looked around.')]] },
  { when: 'overload', scenario: [[overloaded(1), say('At last.')]] },
  { when: 'cut', scenario: [[say('Half '), cut({ times: 1 }), say('and whole.')]] },
  { when: 'refuse', scenario: [[fail(400, 'scripted refusal')]] },
];

export interface Ground extends ScratchHome {
  readonly model: ScriptedModel;
}

/** A scripted model and a scratch home for one test. */
export async function prepareGround(): Promise<Ground> {
  const scratch = await createScratchHome();
  const model = await startScriptedModel({ rules });
  return {
    ...scratch,
    model,
    cleanup: async () => {
      await model.close();
      await scratch.cleanup();
    },
  };
}

/** Returns the agent's location. If it is not installed, the test fails with a message that says what to install. */
export function requireAgent(agent: FoundAgent): string {
  if (!agent.installed) throw new Error(agent.reason);
  return agent.path;
}
