import type { CliType } from '../../../shared/ids.ts';
import { agentIcon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import type { ShellState, Store } from '../state/store.ts';
import { createMenu, type MenuItem } from '../widgets/menu.ts';

/** Picks the agent for a new session. An agent that is not installed is listed with what to do about it. */
export function createAgentPicker(store: Store, actions: Actions) {
  let projectId = '';
  const menu = createMenu({
    label: 'Agent',
    onChoose: (cliType: CliType) => void actions.createSession(projectId, cliType),
  });
  store.subscribe((state, before) => {
    if (menu.isOpen() && state.providers !== before.providers) menu.update(entriesOf(state));
  });

  return {
    pick(anchor: HTMLElement, forProject: string): void {
      if (menu.isOpen()) {
        menu.close();
        return;
      }
      projectId = forProject;
      menu.open(anchor, entriesOf(store.get()));
      // An agent may have been installed since the page was opened.
      void actions.refreshAgents();
    },
  };
}

function entriesOf(state: ShellState): MenuItem[] {
  const providers = state.providers ?? [];
  if (providers.length === 0) {
    return [{ id: '', label: 'No agents', note: 'The server reported none. Check its log.', disabled: true }];
  }
  return providers.map(({ cliType, label, available, reason }) => ({
    id: cliType,
    label,
    icon: agentIcon(cliType),
    disabled: !available,
    ...(available ? {} : { note: reason ?? 'Not available on this machine.' }),
  }));
}
