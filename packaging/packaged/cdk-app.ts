import { fileURLToPath } from 'node:url';

/** Replaces `cli/deploy/cdk-app.ts` in the package. The paths start at the bundled file. */
export const TEMPLATE_APP: string = fileURLToPath(new URL('../../cdk/template.js', import.meta.url));
export const CDK_APP: string = fileURLToPath(new URL('../../cdk/app.js', import.meta.url));
