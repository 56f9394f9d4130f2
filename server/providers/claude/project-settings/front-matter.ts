/** Keys of skills, commands and sub-agents that only describe them or take something away. */
const HARMLESS: ReadonlySet<string> = new Set([
  'argument-hint',
  'arguments',
  'author',
  'color',
  'description',
  'disable-model-invocation',
  'disallowed-tools',
  'disallowedTools',
  'effort',
  'license',
  'maxTurns',
  'metadata',
  'model',
  'name',
  'tags',
  'title',
  'tools',
  'user-invocable',
  'version',
  'when_to_use',
]);

/**
 * What in a Markdown file of Claude Code may run something: keys of its front matter, and shell commands in its text.
 * Not a YAML parser: a line that is not plainly a harmless key counts.
 */
export function findActiveParts(markdown: string): readonly string[] {
  const [, frontMatter = '', text = markdown] =
    /^\uFEFF?---[^\n]*\n([\s\S]*?)(?:\n---[^\n]*(?:\n|$)|$)([\s\S]*)$/.exec(markdown) ?? [];
  const keys = frontMatter.split(/\r\n|[\n\r\u0085\u2028\u2029]/).flatMap((line) => {
    if (line.trim() === '' || /^[ \t#-]/.test(line)) return [];
    const [, key] = /^([A-Za-z][\w-]*):(?:\s|$)/.exec(line) ?? [];
    return key !== undefined && HARMLESS.has(key) ? [] : [key ?? line];
  });
  const commands = [...text.matchAll(/!`[^`]*`|^[ \t]*```!.*$/gm)].map(([command]) => command.trim());
  return [...keys, ...commands];
}
