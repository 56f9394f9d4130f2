import { describe, expect, it } from 'vitest';
import { chooseOption } from '../../../../server/providers/acp/connection/permission.ts';

describe('the answer to a permission request', () => {
  const option = (kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always') => ({ optionId: kind, kind });
  const all = [option('reject_always'), option('reject_once'), option('allow_always'), option('allow_once')];

  it.for([
    ['allow once before always', true, all, 'allow_once'],
    ['allow always where there is no once', true, all.slice(0, 3), 'allow_always'],
    ['reject once before always', false, all, 'reject_once'],
    ['reject always where there is no once', false, [option('reject_always')], 'reject_always'],
  ] as const)("is one of the agent's options: %s", ([, allow, options, optionId]) => {
    const decision = allow ? { allow } : { allow, reason: 'no' };
    expect(chooseOption(decision, options)).toEqual({ outcome: 'selected', optionId });
  });

  it.for([
    ['nobody waits for it any more', undefined, all],
    ['the agent has no option to reject', { allow: false, reason: 'no' } as const, [option('allow_once')]],
    ['the agent has no option to allow', { allow: true } as const, [option('reject_once')]],
  ] as const)('is "cancelled" when %s', ([, decision, options]) => {
    expect(chooseOption(decision, options)).toEqual({ outcome: 'cancelled' });
  });
});
