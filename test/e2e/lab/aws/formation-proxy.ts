import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, forwardTo, type Listening, type Request, serve } from '../forward.ts';
import { REGION } from './emulators.ts';
import { leaveOutUnsupported } from './leave-out.ts';

/** Calls that name the address of a template. */
const WITH_TEMPLATE = new Set(['CreateChangeSet', 'CreateStack', 'UpdateStack']);

/** The suffix of the object with the adapted template: the CDK uploads an object once. */
const ADAPTED = '.adapted';

/**
 * A proxy that adapts templates to the emulated CloudFormation, so that unmodified apps and packages
 * can be deployed there. It reports the original template of a stack.
 *
 * @param assembly - folder for the adapted templates, from which the lab reads access entries
 */
export async function startFormationProxy(emulator: string, assembly: string): Promise<Listening> {
  const forward = forwardTo(emulator);
  const originals = new Map<string, string>();
  mkdirSync(assembly, { recursive: true });

  return serve(async (request: Request): Promise<Answer> => {
    const form = new URLSearchParams(request.body.toString());
    const stack = nameOf(form.get('StackName') ?? '');
    const original = originals.get(stack);
    if (form.get('Action') === 'GetTemplate' && original !== undefined)
      return templateXml(original);
    if (!WITH_TEMPLATE.has(form.get('Action') ?? '')) return forward(request);

    const address = form.get('TemplateURL');
    if (address === null) return forward(request);
    const path = pathOf(address);
    const object = `${emulator}${path}`;
    const template = await (await fetchOrThrow(object)).text();
    originals.set(stack, template);
    const adapted = leaveOutUnsupported(template);
    writeFileSync(join(assembly, `${stack}.template.json`), adapted);
    await fetchOrThrow(`${object}${ADAPTED}`, { method: 'PUT', body: adapted });
    // The emulator knows no bucket in the host.
    form.set('TemplateURL', `https://s3.${REGION}.amazonaws.com${path}${ADAPTED}`);
    const body = Buffer.from(form.toString());
    const headers = { ...request.headers, 'content-length': `${body.length}` };
    return forward({ ...request, headers, body });
  });
}

/** A stack is named by its name or its ARN. */
const nameOf = (stack: string): string => /:stack\/([^/]+)\//.exec(stack)?.[1] ?? stack;

/** The address names bucket and key in a path, or the bucket in its host. */
function pathOf(address: string): string {
  const { hostname, pathname } = new URL(address);
  const bucket = /^(.+)\.s3[.-]/.exec(hostname)?.[1];
  return bucket === undefined ? pathname : `/${bucket}${pathname}`;
}

async function fetchOrThrow(url: string, options: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}

const templateXml = (template: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(
    `<GetTemplateResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><GetTemplateResult><TemplateBody>${escapeXml(template)}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
  ),
});

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
