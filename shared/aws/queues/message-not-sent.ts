/** SQS did not accept a message, or did not answer in time. */
export class MessageNotSentError extends Error {
  override readonly name = 'MessageNotSentError';
}
