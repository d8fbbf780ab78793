/** A query of a panel, and how Grafana names each of its series. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** Tells an operator how to read it. */
  readonly description: string;
  /** A unit of Grafana: `s`, `short`, `percent`, `percentunit`, `bytes`, `currencyUSD`. */
  readonly unit: 's' | 'short' | 'percent' | 'percentunit' | 'bytes' | 'currencyUSD';
  readonly queries: readonly Query[];
  readonly kind?: 'timeseries' | 'stat';
  readonly stacked?: boolean;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface DashboardDefinition {
  /** Stable, so that links to the dashboard survive an upgrade. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly Row[];
}

/** Selects the series of the chosen controllers; each query contains it. */
export const SELECTED = 'job=~"$job"';

const DATA_SOURCE = { type: 'prometheus', uid: '$datasource' } as const;
/** Grafana divides the width of a dashboard into 24 columns. */
const COLUMNS = 24;
const HEIGHT = { row: 1, timeseries: 8, stat: 4 } as const;

/** Grafana's JSON model of a dashboard; rows fill the whole width. */
export function buildDashboard({ uid, title, description, rows }: DashboardDefinition) {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    const gridPos = { h: HEIGHT.row, w: COLUMNS, x: 0, y };
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos,
    });
    y += HEIGHT.row;
    const w = Math.floor(COLUMNS / row.panels.length);
    const h = Math.max(...row.panels.map(({ kind = 'timeseries' }) => HEIGHT[kind]));
    for (const [index, panel] of row.panels.entries())
      panels.push({ id: panels.length + 1, ...toPanel(panel), gridPos: { h, w, x: index * w, y } });
    y += h;
  }
  return {
    ...{ uid, title, description },
    tags: ['mortise', 'kubernetes'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: VARIABLES },
    panels,
  };
}

const VARIABLES = [
  { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', refresh: 1 },
  {
    name: 'job',
    label: 'Job',
    type: 'query',
    datasource: DATA_SOURCE,
    query: {
      query: 'label_values(leader_election_master_status{name="mortise"}, job)',
      refId: 'job',
    },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    current: { text: 'All', value: '$__all' },
  },
];

function toPanel({ kind = 'timeseries', title, description, unit, queries, stacked }: Panel) {
  const style =
    kind === 'stat'
      ? { options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value' } }
      : { options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: TOOLTIP } };
  const custom = stacked ? { fillOpacity: 20, stacking: { mode: 'normal', group: 'A' } } : {};
  return {
    ...{ type: kind, title, description, datasource: DATA_SOURCE },
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    ...style,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint('A'.charCodeAt(0) + index),
      datasource: DATA_SOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}

const TOOLTIP = { mode: 'multi', sort: 'desc' } as const;
