import type { AwsRequest } from '../requests/request.ts';

/** The part of an SDK client that names its service. */
interface Client {
  readonly config: { readonly defaultSigningName: string };
}

interface Command {
  readonly input: unknown;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isClient = (value: unknown): value is Client =>
  isRecord(value) && isRecord(value.config) && typeof value.config.defaultSigningName === 'string';

const isCommand = (value: unknown): value is Command => isRecord(value) && 'input' in value;

/** The document client names the operations of DynamoDB in its own way. */
export const DOCUMENT_OPERATIONS: Readonly<Record<string, string>> = {
  BatchGet: 'BatchGetItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  Put: 'PutItem',
  TransactWrite: 'TransactWriteItems',
};

/** Reads the arguments of a client's `send`; `undefined` if they are something else. */
export function readCommand(client: unknown, command: unknown): AwsRequest | undefined {
  if (!isClient(client) || !isCommand(command)) return undefined;
  const service = client.config.defaultSigningName;
  const name = command.constructor.name.replace(/Command$/, '');
  const operation = (service === 'dynamodb' && DOCUMENT_OPERATIONS[name]) || name;
  return { service, operation, input: shorten(command.input) };
}

/** Contents that say nothing about permissions: tests send thousands of rows and objects. */
const CONTENTS = new Set(['Body', 'UserData', 'Payload', 'ClientToken', 'SecretString', 'ReceiptHandle', 'Id']);
/** Only the partition of a row matters. */
const ROW_KEYS = new Set(['pk', ':pk']);

function shorten(input: unknown): unknown {
  return JSON.parse(
    JSON.stringify(input, (name, value: unknown) => {
      if (CONTENTS.has(name)) return undefined;
      const isRow = ['Item', 'Key', 'ExpressionAttributeValues'].includes(name) && isRecord(value);
      if (!isRow) return value;
      return Object.fromEntries(Object.entries(value).filter(([key]) => ROW_KEYS.has(key)));
    }) ?? '{}',
  );
}
