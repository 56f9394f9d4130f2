import type { Project } from '../../../shared/entities.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import { createMenu } from '../widgets/menu.ts';

export type OpenTrustMenu = (anchor: HTMLElement, project: Project) => void;

/** The menu of every project's sign, where trust is given or withdrawn. */
export function createTrustMenu(actions: Pick<Actions, 'trust' | 'withdrawTrust'>): OpenTrustMenu {
  let projectId = '';
  const menu = createMenu({
    label: 'Trust',
    onChoose: (id) => void (id === 'trust' ? actions.trust(projectId) : actions.withdrawTrust(projectId)),
  });
  return (anchor, { id, trust }) => {
    if (menu.isOpen()) {
      menu.close();
      return;
    }
    projectId = id;
    menu.open(anchor, [
      trust === 'trusted' ? { id: 'withdraw', label: 'Withdraw trust' } : { id: 'trust', label: 'Trust…' },
    ]);
  };
}

/** Shows that a directory is not trusted. Hidden where its settings would run nothing. */
export function createTrustSign(open: OpenTrustMenu) {
  let shown: Project | undefined;
  const element = h(
    'button',
    {
      type: 'button',
      class: 'quiet icon trust-sign',
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      'data-action': 'trust',
      tabindex: -1,
      hidden: true,
      on: { click: () => shown !== undefined && open(element, shown) },
    },
    icon('shield'),
  );
  return {
    element,
    render(project: Project): void {
      if (project === shown) return;
      shown = project;
      const isTrusted = project.trust === 'trusted';
      element.hidden = project.wouldRun.length === 0;
      // Nothing to say about a trusted directory: the button appears with the other actions of the row.
      element.classList.toggle('row-action', isTrusted);
      const label = `${project.name}: ${isTrusted ? 'trusted' : 'not trusted'}`;
      setAttribute(element, 'aria-label', label);
      setAttribute(element, 'title', isTrusted ? label : `${label}. Its own settings are not loaded.`);
    },
  };
}
