import { fileURLToPath } from 'node:url';

/** The CDK app that `mortise template` runs; the npm package replaces this module. */
export const TEMPLATE_APP: string = fileURLToPath(new URL('../../infra/template-app.ts', import.meta.url));

/** The CDK app that `mortise deploy` runs; the npm package replaces this module. */
export const CDK_APP: string = fileURLToPath(new URL('../../infra/app.ts', import.meta.url));
