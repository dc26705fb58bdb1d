import { cutTo } from '../../plan/text/cut-to.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { NoticeWords } from './notice-words.js';
import { textOfLine } from './notice-words.js';

/** Limits of Block Kit. */
const SLACK = { title: 150, text: 3_000, label: 75, url: 3_000, buttons: 25 } as const;

/** Teams takes messages of 28 KB; lines are cut where one is longer than this, and shorter until the whole fits. */
const TEAMS = { bytes: 28 * 1024, line: 2_000, least: 100 } as const;

/**
 * For an incoming webhook of Slack: blocks of plain text, in which nothing is a mention, a link or markup. Each line
 * has one of its own: however long a question is, what follows it stays.
 */
export function slackMessage({ title, lines, buttons }: NoticeWords): JsonObject {
  const texts = lines.map(textOfLine);
  const links = buttons.filter(({ url }) => url.length <= SLACK.url).slice(0, SLACK.buttons);
  return {
    text: cutTo(title, SLACK.title).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    blocks: [
      { type: 'header', text: plain(title, SLACK.title) },
      ...texts.filter((line) => line.trim() !== '').map((line) => ({ type: 'section', text: plain(line, SLACK.text) })),
      ...(links.length === 0
        ? []
        : [
            {
              type: 'actions',
              elements: links.map(({ label, url }, index) => ({
                ...{ type: 'button', action_id: `decide-${String(index)}`, url },
                text: plain(label, SLACK.label),
              })),
            },
          ]),
    ],
  };
}

function plain(text: string, most: number): JsonObject {
  return { type: 'plain_text', text: cutTo(text, most), emoji: false };
}

/** For a webhook of Microsoft Teams: an Adaptive Card whose texts are runs, in which nothing is markup. */
export function teamsMessage(words: NoticeWords): JsonObject {
  for (let most: number = TEAMS.line; ; most /= 2) {
    const message = cardOf(words, most);
    if (most / 2 < TEAMS.least || Buffer.byteLength(JSON.stringify(message)) <= TEAMS.bytes) return message;
  }
}

/** The card with lines of so many characters at most. */
function cardOf({ title, lines, buttons }: NoticeWords, most: number): JsonObject {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: title, weight: 'Bolder', size: 'Medium' }] },
            ...lines.map((line) => ({
              type: 'RichTextBlock',
              inlines: [{ type: 'TextRun', text: cutTo(textOfLine(line), most) }],
            })),
          ],
          actions: buttons.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
        },
      },
    ],
  };
}
