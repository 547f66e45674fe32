import { html, nothing } from 'lit';
import type { Strings, Task } from '../protocol.ts';
import { fill } from '../text/format.ts';
import { PageElement, type ScreenContext } from './context.ts';
import { icon } from './icon.ts';

const stateIcons: Record<Task['status'], string> = {
  pending: 'circle-large-outline',
  in_progress: 'arrow-circle-right',
  completed: 'pass',
};

const stateStrings: Record<Task['status'], keyof Strings> = {
  pending: 'taskPending',
  in_progress: 'taskInProgress',
  completed: 'taskCompleted',
};

/** The model's list of tasks: one line with the progress and what is in hand, or all of it. */
export class TasksElement extends PageElement {
  static override properties = {
    tasks: { attribute: false },
    context: { attribute: false },
    isOpen: { attribute: false },
  };
  declare tasks: readonly Task[];
  declare context: ScreenContext;
  declare isOpen: boolean;

  constructor() {
    super();
    this.isOpen = false;
  }

  protected override render(): unknown {
    const { strings } = this.context;
    const completed = this.tasks.filter(({ status }) => status === 'completed').length;
    const current = this.tasks.find(({ status }) => status === 'in_progress');
    return html`
      <section class="task-list" aria-label=${strings.tasks}>
        <button type="button" class="disclosure" aria-expanded=${this.isOpen} @click=${this.#toggle}>
          ${icon(this.isOpen ? 'chevron-down' : 'chevron-right')}
          <span class="count"
            >${strings.tasks} · ${fill(strings.tasksDone, completed, this.tasks.length)}</span
          >
          ${
            this.isOpen || current === undefined
              ? nothing
              : html`<span class="current">${current.title}</span>`
          }
        </button>
        ${
          this.isOpen
            ? html`<ol tabindex="0" aria-label=${strings.tasks}>
                ${this.tasks.map((task) => this.#task(task))}
              </ol>`
            : nothing
        }
      </section>
    `;
  }

  #task(task: Task): unknown {
    const word = this.context.strings[stateStrings[task.status]];
    return html`
      <li class="task ${task.status}" title=${word}>
        ${icon(stateIcons[task.status])}<span class="sr-only">${word}: </span
        ><span class="task-title">${task.title}</span>
      </li>
    `;
  }

  readonly #toggle = (): void => {
    this.isOpen = !this.isOpen;
    this.dispatchEvent(new CustomEvent('termind-tasks', { bubbles: true, detail: this.isOpen }));
  };
}

declare global {
  interface HTMLElementEventMap {
    /** The list was opened or folded. */
    'termind-tasks': CustomEvent<boolean>;
  }
}

customElements.define('termind-tasks', TasksElement);
