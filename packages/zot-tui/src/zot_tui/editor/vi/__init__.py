"""An editor's keys read as vi reads them; pure."""
