import { type Answer, wholeAnswer } from '../answer.ts';
import { type CommonFlags, commandOf } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { noSuchName } from '../arguments/usage-errors.ts';
import type { Run } from '../invocation.ts';

export const schemaVerb = (run: Run): Verb => ({
  command: commandOf('schema', 'The JSON Schema of a document that -o json prints, or of a published event.')
    .argument('<kind>')
    .action((kind, flags) => run({ ...flags, output: 'text' } satisfies CommonFlags, () => schemaAnswer(kind))),
  examples: [['mortise schema Simulation > simulation.schema.json', 'for your editor or validator']],
});

async function schemaAnswer(kind: string): Promise<Answer> {
  const { DOCUMENT_KINDS, jsonSchemaOf } = await import('../documents/schemas.ts');
  const schema = jsonSchemaOf(kind);
  if (schema === undefined)
    throw noSuchName('document kind', kind, 'mortise schema', DOCUMENT_KINDS, `kinds are ${DOCUMENT_KINDS.join(', ')}`);
  return wholeAnswer({
    kind: 'Schema',
    result: schema,
    text: () => `${JSON.stringify(schema, null, 2)}\n`,
  });
}
