import { expect, it } from 'vitest';
import type { AgentProcess } from '../../../server/engine/driver.ts';
import { createInquiry } from '../../../server/engine/inquiry.ts';
import { createManualClock } from '../../support/manual-clock.ts';

function createRig() {
  const clock = createManualClock();
  let asked = 0;
  const current = {
    isOpen: () => true,
    async listSessions() {
      asked += 1;
      return { sessions: [], isWhole: true };
    },
  } as Partial<AgentProcess> as AgentProcess;
  const keeper: { current: AgentProcess | undefined } = { current };
  const inquiry = createInquiry({ keeper, clock, onTold: () => {} });
  return { clock, keeper, inquiry, asked: () => asked };
}

it('follow/told a process is asked when it is ready, and after turns once a minute at most', () => {
  const { clock, inquiry, asked } = createRig();
  inquiry.ready();
  clock.advance(1_000);
  expect(asked()).toBe(1);
  for (let turn = 0; turn < 10; turn += 1) inquiry.turnEnded();
  clock.advance(59_999);
  expect(asked()).toBe(1);
  clock.advance(1);
  expect(asked()).toBe(2);
  clock.advance(600_000);
  expect(asked()).toBe(2);
  inquiry.turnEnded();
  clock.advance(0);
  expect(asked()).toBe(3);
});

it('follow/told without a running process nobody is asked', () => {
  const { clock, keeper, inquiry, asked } = createRig();
  keeper.current = undefined;
  inquiry.turnEnded();
  clock.advance(60_000);
  inquiry.ready();
  inquiry.stop();
  clock.advance(60_000);
  expect(asked()).toBe(0);
});
