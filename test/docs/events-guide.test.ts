import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { listEventExamples } from '../../shared/api/published-events/examples.ts';
import { PUBLISHED_KINDS } from '../../shared/model/published-events/kinds.ts';
import { codeBlocksIn } from './code-blocks.ts';

const guide = readFileSync('docs/guides/events.md', 'utf8');
const [block] = codeBlocksIn(guide).filter(({ text }) => text.includes('AWS::Events::Rule'));

const ruleSchema = z.object({
  Properties: z.object({
    EventPattern: z.object({
      source: z.array(z.string()),
      'detail-type': z.array(z.string()),
      detail: z.object({ cluster: z.array(z.string()) }),
    }),
    Targets: z
      .array(
        z.object({
          InputTransformer: z.object({ InputPathsMap: z.record(z.string(), z.string()) }),
        }),
      )
      .length(1),
  }),
});
const eventSchema = z.object({
  source: z.string(),
  'detail-type': z.string(),
  detail: z.looseObject({ cluster: z.string(), message: z.string() }),
});

/** Reads the template of the guide as CloudFormation would, references included. */
function readTemplate(): Template {
  const folder = mkdtempSync(join(tmpdir(), 'events-guide-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const templateFile = join(folder, 'template.json');
  writeFileSync(templateFile, JSON.stringify(parse(block?.text ?? '')));
  const stack = new Stack(new App(), 'Events');
  new CfnInclude(stack, 'Included', { templateFile });
  return Template.fromStack(stack);
}

function readRule() {
  const [rule] = Object.values(readTemplate().findResources('AWS::Events::Rule'));
  return ruleSchema.parse(rule).Properties;
}

const examples = [...listEventExamples()].map(([kind, event]) => ({
  kind,
  event: eventSchema.parse(event),
}));

describe('the template in the guide to events', () => {
  it('sends what needs a person to a topic, and not each launch and disruption', () => {
    const { EventPattern: pattern } = readRule();
    const sent = examples.filter(
      ({ event }) =>
        pattern.source.includes(event.source) &&
        pattern['detail-type'].includes(event['detail-type']) &&
        pattern.detail.cluster.includes(event.detail.cluster),
    );

    expect(sent.map(({ kind }) => kind)).toEqual(
      PUBLISHED_KINDS.filter((kind) => kind !== 'NodeLaunched' && kind !== 'NodeDisrupted'),
    );
  });

  it('takes its message from fields that every event has', () => {
    const [target] = readRule().Targets;
    const paths = Object.values(target?.InputTransformer.InputPathsMap ?? {});

    expect(paths.toSorted()).toEqual(['$.detail-type', '$.detail.cluster', '$.detail.message']);
    for (const { event } of examples) {
      expect(event.detail.message).not.toBe('');
    }
  });

  it('lets this rule publish to the topic, and nothing else', () => {
    readTemplate().hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: [
          {
            Principal: { Service: 'events.amazonaws.com' },
            Action: 'sns:Publish',
            Resource: { Ref: 'Topic' },
            Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': ['Rule', 'Arn'] } } },
          },
        ],
      },
    });
  });
});
