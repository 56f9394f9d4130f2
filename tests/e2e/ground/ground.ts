import {
  createScratchHome,
  type FoundAgent,
  type ScratchHome,
  type ScriptedModel,
  say,
  shell,
  startScriptedModel,
} from '../../../scripted-model/index.ts';

export interface Ground extends ScratchHome {
  readonly model: ScriptedModel;
}

/** A scripted model and a scratch home for one test. */
export async function prepareGround(): Promise<Ground> {
  const scratch = await createScratchHome();
  const model = await startScriptedModel({
    rules: [
      {
        when: 'run',
        scenario: [[say('I will run it.'), shell('printf made > made.txt && cat made.txt')], [say('It ran.')]],
      },
      { when: 'hello', scenario: [[say('Hello from the scripted model.')]] },
    ],
  });
  return {
    ...scratch,
    model,
    cleanup: async () => {
      await model.close();
      await scratch.cleanup();
    },
  };
}

/** Where the agent is; a missing one fails the test with the sentence that says what to install. */
export function requireAgent(agent: FoundAgent): string {
  if (!agent.installed) throw new Error(agent.reason);
  return agent.path;
}
