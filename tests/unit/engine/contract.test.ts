import { it, onTestFinished } from 'vitest';
import { createProvider } from '../../../server/engine/create-provider.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { ContractOptions, ContractSubject } from '../../support/contract/contract-rig.ts';
import { describeContract } from '../../support/contract/describe-contract.ts';
import { runInterleaving } from '../../support/contract/interleavings.ts';
import { createScriptedDriver, type ScriptedDriverOptions } from '../../support/contract/scripted-driver.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

/** `isTimed`: time passes only where the test says so. */
function scripted(name: string, sharedProcess: boolean, isTimed = false): ContractSubject {
  const traits = sharedProcess
    ? { sharedProcess, historyWithoutProcess: false, takesMessagesWhileBusy: false }
    : { sharedProcess };

  async function create(options: ContractOptions & ScriptedDriverOptions = {}) {
    const driver = createScriptedDriver({ traits, ...options });
    const manualClock = createManualClock();
    const clock = isTimed ? { clock: manualClock } : {};
    const provider = createProvider(driver, { onProblem: () => {}, ...clock, ...options });
    onTestFinished(() => provider.close());
    const pass = async (ms: number) => manualClock.advance(ms);
    return { provider, projectDir: scratchDirectory(), running: driver.running, crash: driver.crash, pass };
  }

  return {
    name,
    sharedProcess,
    historyWithoutProcess: !sharedProcess,
    messages: { answer: 'hello', hold: 'hold' },
    answerText: 'echo hello',
    create,
    createBroken: () => create({ broken: true }),
    async createHung(options) {
      const transcripts = new Map<string, UpsertObject[]>([['known', []]]);
      const agent = await create({ hangs: true, transcripts, ...options });
      return { ...agent, sessionId: 'scripted:known' };
    },
  };
}

const subjects: [string, boolean][] = [
  ['scripted agent, a process per session', false],
  ['scripted agent, one process for all', true],
];

for (const [name, sharedProcess] of subjects) {
  describeContract(scripted(name, sharedProcess));

  it(`engine/interleavings ${name}: 200 random ones, each turn ends once, no process is left`, async () => {
    for (let seed = 1; seed <= 200; seed += 1) await runInterleaving(scripted(name, sharedProcess, true), seed);
  });
}
