import { useEffect, useMemo, useRef, useState } from 'react';
import { UNSAFE_PortalProvider as PortalProvider } from 'react-aria';
import styles from './app.module.css';
import { cx } from './class-names.ts';
import { CostScreen } from './cost/cost-screen.tsx';
import { CostDock } from './dock/cost-dock.tsx';
import { AnswerContext } from './explain/answer-context.ts';
import { ExplainPanel } from './explain/explain-panel.tsx';
import { useExplanation } from './explain/use-explanation.ts';
import { EventFeed } from './feed/event-feed.tsx';
import { PageTitle } from './frame/page-title.tsx';
import { SkipLinks } from './frame/skip-links.tsx';
import { TopBar } from './frame/top-bar.tsx';
import { KeyBindings } from './keys/key-bindings.tsx';
import { ClusterMap } from './map/cluster-map.tsx';
import { MapToolbar } from './map/map-toolbar.tsx';
import { NodeTable } from './map/node-table.tsx';
import { NodePoolsScreen } from './node-pools/node-pools-screen.tsx';
import { NoticeBar } from './notices/notice-bar.tsx';
import { PendingLane } from './pending/pending-lane.tsx';
import { PlayBar } from './play/play-bar.tsx';
import { usePageStore } from './store/use-page.ts';
import { DifferenceBar } from './timeline/difference-bar.tsx';
import { HappenedPanel } from './timeline/happened-panel.tsx';
import { SidesContext, useReadSides } from './timeline/sides.ts';
import { TimelineScreen } from './timeline/timeline-screen.tsx';
import type { Ui, WhatIfStart } from './ui/ui-context.ts';
import { UiContext, useUi } from './ui/ui-context.ts';
import { useAddress } from './ui/use-address.ts';
import { useKeys } from './ui/use-keys.ts';
import { useNarrow } from './ui/use-narrow.ts';
import { useTheme } from './ui/use-theme.ts';
import { Vitals } from './vitals/vitals.tsx';
import { WhatIfScreen } from './what-if/what-if-screen.tsx';

export function App() {
  const [address, change] = useAddress();
  const theme = useTheme();
  const keys = useKeys();
  const isNarrow = useNarrow();
  const [isWide, setWide] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isFeedOpen, setFeedOpen] = useState(false);
  const [whatIf, setWhatIf] = useState<WhatIfStart>({});

  const ui = useMemo(
    (): Ui => ({
      ...address,
      ...theme,
      ...keys,
      view: address.view ?? (isNarrow ? 'table' : 'map'),
      isWide,
      setWide,
      isHelpOpen,
      setHelpOpen,
      isFeedOpen,
      setFeedOpen,
      whatIf,
      openWhatIf(start) {
        setWhatIf(start);
        change({ screen: 'whatif' });
      },
      setScreen: (screen) => change({ screen }),
      setAt: (at) => change({ at }),
      setCompare: (compare) => change({ compare }),
      select: (selected) => change({ selected }),
      setView: (view) => change({ view }),
      setGrouping: (grouping) => change({ grouping }),
      setArea: (area) => change({ area }),
      setFilter: (filter) => change({ filter }),
    }),
    [address, theme, keys, isNarrow, isWide, isHelpOpen, isFeedOpen, whatIf, change],
  );

  // Dialogs open inside a landmark, where screen readers look for content.
  const popovers = useRef<HTMLDivElement>(null);
  const answer = useExplanation(address.selected, address.at);
  const sides = useReadSides(address.at, address.compare);
  const store = usePageStore();
  useEffect(() => store.show(address.at), [store, address.at]);

  return (
    <UiContext value={ui}>
      <AnswerContext value={answer}>
        <SidesContext value={sides}>
          <PortalProvider getContainer={() => popovers.current}>
            <PageTitle />
            <SkipLinks />
            <KeyBindings />
            <div className={cx(styles.frame)}>
              <TopBar />
              <Vitals />
              <div className={cx(styles.body, isWide && styles.wide)}>
                <main id="main" tabIndex={-1} className={cx(styles.picture)}>
                  <div ref={popovers} />
                  <NoticeBar />
                  <Screen />
                </main>
                <aside
                  id="side"
                  tabIndex={-1}
                  className={cx(styles.side, (ui.selected || isFeedOpen) && styles.open)}
                  aria-label="Why, and what happened"
                >
                  <ExplainPanel />
                  {ui.screen === 'timeline' && ui.at !== undefined ? <HappenedPanel at={ui.at} /> : <EventFeed />}
                </aside>
              </div>
            </div>
          </PortalProvider>
        </SidesContext>
      </AnswerContext>
    </UiContext>
  );
}

function Screen() {
  const { screen } = useUi();
  switch (screen) {
    case 'cluster':
      return <ClusterScreen />;
    case 'timeline':
      return <TimelineScreen />;
    case 'cost':
      return <CostScreen />;
    case 'nodepools':
      return <NodePoolsScreen />;
    case 'whatif':
      return <WhatIfScreen />;
  }
}

function ClusterScreen() {
  const { view } = useUi();
  return (
    <>
      <PendingLane />
      <MapToolbar />
      <DifferenceBar />
      {view === 'map' ? <ClusterMap /> : <NodeTable />}
      <PlayBar />
      <CostDock />
    </>
  );
}
