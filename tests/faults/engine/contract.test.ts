import { it } from 'vitest';
import { describeContract } from '../../support/contract/describe-contract.ts';
import { runInterleaving } from '../../support/contract/interleavings.ts';
import { acpProgramSubject, claudeProgramSubject, envelopeSubject } from '../../support/contract/subjects.ts';

/** A few in every run; the full count by `npm run interleavings`. */
const ROUNDS = Number(process.env.LIMINAL_INTERLEAVINGS ?? 8);

for (const subject of [envelopeSubject, acpProgramSubject, claudeProgramSubject]) {
  describeContract(subject);

  it(`engine/interleavings ${subject.name}: each turn ends once, no process is left`, {
    timeout: 1_200_000,
  }, async () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) await runInterleaving(subject, seed);
  });
}
