/// The style sheet of a page, for light and dark, for phones and desks.
enum PageStyle {
    static let text = "\n:root{\(light)}\n@media (prefers-color-scheme:dark){:root{\(dark)}}\n" + rules

    private static let light = """
        --page:#f2f2f7;--card:#fff;--text:#1c1c1e;--soft:#55555b;--line:#c9c9cf;--link:#0b57b8;--fill:#e7e7ec;
        --okfill:#d7f2dd;--ok:#0f4a22;--waitfill:#ffe9b8;--wait:#5a3c00;--badfill:#ffdcd9;--bad:#7d1109;
        --rulefill:#d6e6ff;--rule:#12387a
        """
    private static let dark = """
        --page:#000;--card:#1c1c1e;--text:#f2f2f7;--soft:#b0b0b8;--line:#48484c;--link:#7db8ff;--fill:#303035;
        --okfill:#123d20;--ok:#b9f2c8;--waitfill:#4d3700;--wait:#ffe2a0;--badfill:#57150f;--bad:#ffd2cd;
        --rulefill:#17345f;--rule:#cfe2ff
        """

    private static let rules = """
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:1240px;padding:12px;background:var(--page);color:var(--text);
        font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
        h1{font-size:1.6rem;line-height:1.2}
        h2{font-size:1.25rem}
        h3,h4{font-size:1.05rem;margin:.3em 0}
        p{margin:.3em 0}
        a{color:var(--link)}
        ul{margin:.3em 0;padding:0;list-style:none}
        section{background:var(--card);border-radius:14px;padding:4px 16px 16px;margin:0 0 16px}
        .soft{color:var(--soft);font-size:.85rem;font-weight:400}
        .badge,.tile,.cell{display:inline-block;border-radius:6px;padding:.1em .5em;font-size:.85rem;font-weight:600;
        background:var(--fill)}
        .tile{padding:.4em .8em;margin:0 .4em .4em 0}
        .approved,.c-default{background:var(--okfill);color:var(--ok)}
        .pending{background:var(--waitfill);color:var(--wait)}
        .rejected,.c-nothing{background:var(--badfill);color:var(--bad)}
        .c-rules{background:var(--rulefill);color:var(--rule)}
        .rows>li{padding:.3em 0}
        .scroll{overflow-x:auto;max-height:75vh}
        table{border-spacing:2px;font-size:.85rem}
        th,td{padding:.35em .6em;white-space:nowrap;text-align:center}
        td.cell{display:table-cell}
        th{background:var(--card);text-align:left}
        thead th{position:sticky;top:0}
        tbody th{position:sticky;left:0}
        .texts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:20px;align-items:start}
        .texts>*{min-width:0}
        .sheet{border:1px solid var(--line);border-radius:26px;padding:20px;margin:.5em 0;max-width:400px}
        .sheet p,.sheet li{white-space:pre-wrap;unicode-bidi:isolate}
        .head{font-size:1.35rem;line-height:1.25;font-weight:700}
        .text{color:var(--soft)}
        .image,.icon{background:var(--fill) center/100% 100% no-repeat;print-color-adjust:exact}
        .image{width:100%;border-radius:12px;margin:.6em 0}
        .square{max-width:128px}
        .sheet li{display:flex;gap:12px;align-items:center;margin:.55em 0}
        .icon{flex:none;width:34px;height:34px;border-radius:8px}
        .theirs,.none{border:1.5px dashed var(--line);border-radius:14px;padding:.8em;color:var(--soft)}
        .keep,.leave{height:46px;border-radius:23px;margin-top:10px;background:var(--fill)}
        .leave{background:none;border:1.5px solid var(--line)}
        @media print{.scroll{max-height:none;overflow:visible}article{break-inside:avoid}}

        """
}
