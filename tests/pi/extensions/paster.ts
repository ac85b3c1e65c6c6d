// An editor that types the next paste as it is, after a command: zot folds long ones.

import { CustomEditor } from "@earendil-works/pi-coding-agent";

const PASTE = /^\x1b\[200~([^]*)\x1b\[201~$/;

class PlainPaste extends CustomEditor {
  next = false;

  handleInput(data: string) {
    const text = PASTE.exec(data)?.[1];
    if (!this.next || text === undefined) return super.handleInput(data);
    this.next = false;
    for (const each of text) super.handleInput(each);
  }
}

export default function (pi: any) {
  let editor: PlainPaste;
  pi.on("session_start", (_event: any, ctx: any) => {
    ctx.ui.setEditorComponent((tui: any, theme: any, keys: any) => (editor = new PlainPaste(tui, theme, keys)));
  });
  pi.registerCommand("plain", {
    description: "Type the next paste as it is",
    handler: async (_args: string, ctx: any) => {
      editor.next = true;
      ctx.ui.notify("paste now");
    },
  });
}
