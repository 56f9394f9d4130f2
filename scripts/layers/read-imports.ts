import { parseSync } from 'vite';

/** The specifiers of all imports in a module: static, re-exported, dynamic and in types. */
export function readImports(path: string, source: string): string[] {
  const { program, module, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
    ...(source.includes('import(') ? importExpressions(program) : []),
  ];
  return [...new Set(specifiers.filter((specifier) => specifier !== undefined))];
}

/** `import('…')`, as an expression and in types. */
function importExpressions(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(importExpressions);
  const { type, source } = node as { type?: unknown; source?: { value?: unknown } };
  const isImport = type === 'ImportExpression' || type === 'TSImportType';
  return isImport && typeof source?.value === 'string' ? [source.value, ...inside] : inside;
}
