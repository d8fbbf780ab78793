import type { Answer } from '../forward.ts';

/** Builds an error response in EC2's format. */
export const ec2Refusal = (status: number, code: string, message: string): Answer =>
  xmlAnswer(
    status,
    `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors>` +
      '<RequestID>lab</RequestID></Response>',
  );

export const xmlAnswer = (status: number, text: string): Answer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(text),
});
