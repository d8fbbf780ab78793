import type { Answer } from '../answer.ts';
import type { Format } from '../arguments/flags.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Changes if a change breaks readers. */
const API_VERSION = 'cli.mortise.sh/v1';
/** The minor changes if something is added. */
const SCHEMA_VERSION = '1.0';

/** Formats an answer for stdout; no other code does. */
export async function renderAnswer(answer: Answer, format: Format, terminal: Terminal): Promise<string> {
  if (answer.manifests && (format === 'yaml' || format === 'json')) return answer.manifests(format);
  switch (format) {
    case 'text':
      return answer.text(terminal, false);
    case 'wide':
      return answer.text(terminal, true);
    case 'name':
      return answer.names.map((name) => `${name}\n`).join('');
    case 'json':
      return `${JSON.stringify(documentOf(answer))}\n`;
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(documentOf(answer), { aliasDuplicateObjects: false });
    }
  }
}

const documentOf = ({ kind, source, complete, warnings, result }: Answer) => ({
  apiVersion: API_VERSION,
  kind,
  schemaVersion: SCHEMA_VERSION,
  source,
  complete,
  warnings,
  result,
});
