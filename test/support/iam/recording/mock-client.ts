import { mockClient as mockUnrecorded } from 'aws-sdk-client-mock';
import { record } from './recorder.ts';
import { readCommand } from './sdk-command.ts';

interface Sender {
  send: unknown;
}

/**
 * Doubles a client, or all clients of a class, and records what is sent to them. Vitest resolves the
 * package's name to this file, except here.
 */
export const mockClient: typeof mockUnrecorded = (client, options) => {
  const stub = mockUnrecorded(client, options);
  const target: Sender = 'send' in client ? client : client.prototype;
  const { reset } = stub;

  function recordSends(): void {
    target.send = function recordAndSend(this: unknown, ...args: readonly unknown[]): unknown {
      record(readCommand(this, args[0]));
      const result: unknown = Reflect.apply(stub.send, this, args);
      return result;
    };
  }

  // The real method doubles the client once more.
  stub.reset = () => {
    target.send = stub.send;
    Reflect.apply(reset, stub, []);
    recordSends();
    return stub;
  };
  recordSends();
  return stub;
};
