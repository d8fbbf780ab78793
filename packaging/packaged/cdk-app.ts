import { fileURLToPath } from 'node:url';

/** Replaces `cli/deploy/cdk-app.ts` in the package. The path starts at the bundled file. */
export const CDK_APP: string = fileURLToPath(new URL('../../cdk/app.js', import.meta.url));
