import { ALL_KINDS, DEFAULT_BUS, PUBLISHED_KINDS, parsePublishedKinds } from '../../model/published-events/kinds.ts';
import { form, text } from '../forms.ts';
import type { SettingTable } from '../setting.ts';

const KINDS = form(
  'all, or kinds separated by commas',
  `${ALL_KINDS}, or some of ${PUBLISHED_KINDS.join(', ')}, separated by commas`,
  (given) => (given === '' ? [] : parsePublishedKinds(given)),
);

/** The events that are published on EventBridge. */
export const PUBLISHED_EVENTS = {
  kinds: {
    variable: 'EVENT_KINDS',
    option: 'eventKinds',
    controller: 'variable',
    form: KINDS,
    usual: '',
    byDefault: 'none',
    meaning:
      'The [events](events.md) that are published on EventBridge, such as `PodsWaiting,CapReached`, or `all`. They contain names of pods and nodes, also with `redactNames`.',
  },
  bus: {
    variable: 'EVENT_BUS',
    option: 'eventBus',
    controller: 'variable',
    form: text('the name of an event bus', /^[\w./-]{1,256}$/, 'the name of an event bus; not its ARN'),
    usual: DEFAULT_BUS,
    meaning: 'The event bus of the same account and region on which `EVENT_KINDS` are published.',
  },
} as const satisfies SettingTable;
