/** The languages whose phrases are known. A test finds a file that is missing here. */
import type { Language } from './language.ts';
import ar from './ar.json' with { type: 'json' };
import cs from './cs.json' with { type: 'json' };
import da from './da.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fi from './fi.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import he from './he.json' with { type: 'json' };
import hu from './hu.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import ko from './ko.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import no from './no.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import ru from './ru.json' with { type: 'json' };
import sv from './sv.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

/** By ISO 639-1 code. Swedish has the words of Danish and Norwegian, Chinese both kinds of characters. */
const known = { ar, cs, da, de, en, es, fi, fr, he, hu, it, ja, ko, nl, no, pl, pt, ru, sv, tr, zh };

export const languages: Readonly<Record<string, Language>> = known;
