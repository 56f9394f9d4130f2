import { describe, expect, it } from 'vitest';
import { agentIcon } from '../../../../client/shared/icons.ts';

describe('the icon of an agent', () => {
  it.each(['constructor', '__proto__', 'toString', 'aider'])(
    'safe/agent-names is the general one if the agent is named %s',
    (cliType) => {
      const icon = agentIcon(cliType);
      expect(icon.getAttribute('class')).toBe('agent-icon agent-other');
      expect(icon.querySelector('path')?.getAttribute('d')).toMatch(/^M[\d l,-]+z$/);
    },
  );

  it('is its own if we know the agent', () => {
    expect(agentIcon('codex').getAttribute('class')).toBe('agent-icon agent-codex');
  });
});
