import type { Plugin } from 'vite';

/** Zod's methods that make JSON schemas, and the imports that only they use. */
const UNUSED: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^ *inst\._zod\.processJSONSchema = .*;$/gm, ''],
  [/\bcreateStandardJSONSchemaMethod\(this, "\w+"\)/g, 'undefined'],
  [/\bcreateToJSONSchemaMethod\(this, \{\}\)\(params\)/g, 'undefined'],
];

/**
 * The pages make no JSON schemas, but every Zod schema has methods for it, which no bundler can leave out. Removes them:
 * they are a tenth of the scripts that the pages load first.
 */
export function withoutJsonSchema(): Plugin {
  return {
    name: 'without-json-schema',
    transform: {
      filter: { id: /\/zod\/v4\/classic\/schemas\.js$/ },
      handler: (code) => UNUSED.reduce((rest, [pattern, replacement]) => remove(rest, pattern, replacement), code),
    },
  };
}

function remove(code: string, pattern: RegExp, replacement: string): string {
  if (code.search(pattern) === -1) throw new Error(`Zod has changed: nothing matches ${String(pattern)} any more.`);
  return code.replace(pattern, replacement);
}
