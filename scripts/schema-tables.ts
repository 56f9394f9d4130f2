import { z } from 'zod';

/** Names of schemas. A name without a space has its own section, which the tables link to. */
export type SchemaNames = z.core.$ZodRegistry<{ id: string }>;

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A Markdown table of the fields of an object. */
export function fieldTable(schema: z.ZodType, names: SchemaNames, io: 'input' | 'output'): string {
  const { properties = {}, required = [] } = resolve(z.toJSONSchema(schema, { metadata: names, io }));
  const rows = Object.entries(properties).map(([field, type]) => {
    const isRequired = required.includes(field);
    return `| \`${field}\` | ${typeOf(type as JsonSchema)} | ${isRequired ? 'yes' : 'no'} |`;
  });
  if (rows.length === 0) return 'None.';
  return [`| Field | Type | ${io === 'input' ? 'Required' : 'Always present'} |`, '|---|---|---|', ...rows].join('\n');
}

/** The alternatives of a union of objects, each with its fields. */
export function alternatives(schema: z.ZodDiscriminatedUnion): z.ZodType[] {
  return schema.options as z.ZodType[];
}

/** The value of the discriminating field of a union member. */
export function constantOf(schema: z.ZodType, field: string): string {
  const type = resolve(z.toJSONSchema(schema)).properties?.[field] as JsonSchema | undefined;
  return String(type?.const ?? '');
}

/** A named schema is a reference to a definition. */
function resolve(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/$defs/', '');
  const definition = name === undefined ? undefined : schema.$defs?.[name];
  return definition ?? schema;
}

function typeOf(type: JsonSchema): string {
  if (type.$ref !== undefined) {
    const name = type.$ref.replace('#/$defs/', '');
    return name.includes(' ') ? name : `[${name}](#${name.toLowerCase()})`;
  }
  if (type.const !== undefined) return `\`"${type.const}"\``;
  if (type.enum !== undefined) return type.enum.map((value) => `\`"${value}"\``).join(', ');
  const choices = type.anyOf ?? type.oneOf;
  if (choices !== undefined) return choices.map((choice) => typeOf(choice as JsonSchema)).join(' or ');
  if (type.type === 'array') return `list of ${typeOf((type.items ?? {}) as JsonSchema)}`;
  if (type.format === 'date-time') return 'time (ISO 8601, UTC)';
  if (type.format === 'uuid') return 'UUID';
  if (type.type === 'string') return `text${lengthOf(type)}`;
  if (type.type === 'integer') return 'whole number';
  if (type.type === 'boolean') return 'true or false';
  return String(type.type ?? 'anything');
}

function lengthOf({ minLength, maxLength }: JsonSchema): string {
  if (maxLength === undefined) return '';
  return minLength === undefined ? `, at most ${maxLength} characters` : `, ${minLength} to ${maxLength} characters`;
}
