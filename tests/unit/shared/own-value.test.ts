import { describe, expect, it } from 'vitest';
import { noticeText } from '../../../server/providers/acp/translate/translate-notice.ts';
import { readTaskNotification } from '../../../server/providers/claude/content/background-tasks.ts';
import { toolKindOf } from '../../../server/providers/claude/content/tool-facts.ts';
import { ownValue } from '../../../shared/own-value.ts';

const builtIn = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__'];

describe('safe/agent-names a lookup by a name from outside', () => {
  it.each(builtIn)('does not find the built-in property %s', (name) => {
    expect(ownValue({ a: 1 }, name)).toBeUndefined();
    expect(toolKindOf(name)).toBe('other');
    expect(noticeText({ severity: name, title: 'Title', description: '' })).toBe('Title');
    expect(readTaskNotification(`<task-notification><status>${name}</status></task-notification>`)).toBeUndefined();
  });

  it('finds a key of the table itself', () => {
    expect(ownValue({ a: 1, constructor: 2 }, 'constructor')).toBe(2);
  });
});
