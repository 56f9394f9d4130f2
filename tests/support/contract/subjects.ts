import type { SessionId } from '../../../shared/ids.ts';
import { createEnvelopeRig, type EnvelopeRigOptions } from '../agents/envelope-rig.ts';
import type { ContractSubject } from './contract-rig.ts';

const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A real program that speaks envelopes. It has no handshake, so that its start cannot hang. */
export const envelopeSubject: ContractSubject = {
  name: 'envelope program',
  messages: { answer: 'echo hello', hold: 'half' },
  answerText: 'echo hello',
  sharedProcess: false,
  historyWithoutProcess: true,
  async create(options) {
    return envelopeAgent({ flags: ['polite'], ...options });
  },
  async createBroken() {
    return envelopeAgent({ command: '/nowhere/agent' });
  },
};

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function envelopeAgent(options: EnvelopeRigOptions) {
  const { provider, projectDir, running, pids } = createEnvelopeRig(options);
  const crash = (_sessionId: SessionId) => {
    for (const pid of pids()) killIfRunning(pid);
  };
  return { provider, projectDir, running, crash, pass };
}
