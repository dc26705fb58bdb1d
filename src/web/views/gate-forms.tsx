import type { Granted } from '../../activities/gates/grant.js';
import type { Gate } from '../../plan/gates/gate.js';
import { COMMENT_CHARACTERS } from '../../plan/gates/gate.js';
import { optionText } from '../../plan/gates/option-text.js';
import type { OpenGate } from '../../cli/observe/view/view.js';
import { safeLine, safeName } from '../../cli/text/safe-text.js';
import type { Field } from '../data/answer-fields.js';
import { fieldsOf, presetText } from '../data/answer-fields.js';
import type { FieldText } from '../data/field-text.js';
import { editPath, gatePath } from '../paths.js';

/** What every decision names: the content that was shown, and since when it was asked. */
export function Shown({ gate }: { gate: Gate }) {
  return (
    <>
      <input type="hidden" name="hash" value={gate.hash} />
      <input type="hidden" name="since" value={gate.since} />
    </>
  );
}

/** Where the forms of a gate are sent. */
export interface FormPlaces {
  decide: string;
  edit: string;
}

/** Those of who is signed in. */
export function placesOf(address: string): FormPlaces {
  return { decide: gatePath(address), edit: editPath(address) };
}

/** The ways to decide a gate that `may` lists. `edit` is its content, where that may be changed. */
export function GateForms({
  open: { gate },
  places,
  may,
  edit,
}: {
  open: OpenGate;
  places: FormPlaces;
  may: Granted[];
  edit: FieldText | null;
}) {
  return (
    <div class="decide">
      {may.includes('answer') ? <AnswerForm gate={gate} places={places} /> : null}
      {may.includes('approve') ? <ApproveForm gate={gate} places={places} /> : null}
      {!may.includes('reject') ? null : (
        <details class="reject">
          <summary>Reject…</summary>
          <form method="post" action={places.decide}>
            <Shown gate={gate} />
            <label>
              Reason
              <textarea name="comment" rows={3} required maxlength={COMMENT_CHARACTERS}></textarea>
            </label>
            <button name="decision" value="reject" class="danger">
              Reject
            </button>
          </form>
        </details>
      )}
      {edit === null || !may.includes('edit') ? null : <EditForm gate={gate} places={places} edit={edit} />}
    </div>
  );
}

interface FormProps {
  gate: Gate;
  places: FormPlaces;
}

function ApproveForm({ gate, places }: FormProps) {
  return (
    <form method="post" action={places.decide}>
      <Shown gate={gate} />
      <Comment />
      <button name="decision" value="approve" class="primary">
        Approve
      </button>
    </form>
  );
}

function Comment() {
  return (
    <label>
      Comment <span class="quiet">(may be empty)</span>
      <input name="comment" maxlength={COMMENT_CHARACTERS} autocomplete="off" />
    </label>
  );
}

function AnswerForm({ gate, places }: FormProps) {
  const fields = fieldsOf(gate);
  return (
    <form method="post" action={places.decide}>
      <Shown gate={gate} />
      {gate.options !== undefined ? (
        <fieldset>
          <legend>Choose one</legend>
          {gate.options.map((option) => (
            <label class="choice">
              <input type="radio" name="value" value={optionText(option)} required /> {optionText(option)}
            </label>
          ))}
        </fieldset>
      ) : fields === null ? (
        <label>
          Answer
          <textarea name="value" rows={3} required></textarea>
        </label>
      ) : (
        fields.map((field) => <OneField field={field} />)
      )}
      <Comment />
      <button name="decision" value="answer" class="primary">
        Answer
      </button>
    </form>
  );
}

function OneField({ field }: { field: Field }) {
  const { name, description, required } = field;
  return (
    <label>
      {safeName(name)}
      {required ? null : <span class="quiet"> (may be empty)</span>}
      {description === null ? null : <span class="about">{safeLine(description)}</span>}
      {field.kind === 'text' && presetText(field).escaped ? (
        <span class="about">
          <Escapes />
        </span>
      ) : null}
      <Control field={field} />
    </label>
  );
}

function Control({ field }: { field: Field }) {
  const { kind, sent: name, required, preset, choices } = field;
  switch (kind) {
    case 'text':
      return (
        <textarea name={name} rows={2} required={required}>
          {`\n${presetText(field).text}`}
        </textarea>
      );
    case 'number':
    case 'integer':
      return (
        <input
          name={name}
          type="number"
          step={kind === 'integer' ? 1 : 'any'}
          required={required}
          value={typeof preset === 'number' ? String(preset) : undefined}
        />
      );
    case 'boolean':
    case 'choice': {
      const options = kind === 'boolean' ? [true, false] : choices;
      return (
        <select name={name} required={required}>
          <option value=""></option>
          {options.map((option, index) => (
            <option value={kind === 'boolean' ? String(option) : String(index)} selected={option === preset}>
              {optionText(option)}
            </option>
          ))}
        </select>
      );
    }
  }
}

function EditForm({ gate, places, edit }: FormProps & { edit: FieldText }) {
  return (
    <details class="edit">
      <summary>Edit…</summary>
      <form method="post" action={places.edit}>
        <Shown gate={gate} />
        <EditedText edit={edit} />
        <button>Look at what you edited</button>
      </form>
    </details>
  );
}

function EditedText({ edit: { text, escaped } }: { edit: FieldText }) {
  return (
    <>
      {escaped ? (
        <p class="quiet">
          <Escapes />
        </p>
      ) : null}
      <input type="hidden" name="escaped" value={escaped ? 'yes' : 'no'} />
      <label>
        Content
        {/* The first line break of a field is not part of its text. */}
        <textarea name="edit" rows={16} spellcheck={false}>{`\n${text}`}</textarea>
      </label>
    </>
  );
}

function Escapes() {
  return (
    <>
      Escapes such as <code>{'\\u{200b}'}</code> and <code>⇥</code> stand for characters that are not drawn.
    </>
  );
}

/** Approves content as it was edited and is shown: `shown` is its hash. */
export function ApproveEdited({
  open: { gate },
  places,
  edit,
  shown,
}: {
  open: OpenGate;
  places: FormPlaces;
  edit: FieldText;
  shown: string;
}) {
  return (
    <form method="post" action={places.decide} class="decide">
      <Shown gate={gate} />
      <input type="hidden" name="edited" value={shown} />
      <details>
        <summary>Edit again…</summary>
        <EditedText edit={edit} />
        <button formaction={places.edit}>Look at what you edited</button>
      </details>
      <Comment />
      <button name="decision" value="approve" class="primary">
        Approve as edited
      </button>
    </form>
  );
}
