"""Made-up exports in which parts of texts are marked: format -> contents and the name of a file of each."""

import json

TEXT = "Cures headache."


def lines(*objects):
    return "".join(json.dumps(one) + "\n" for one in objects)


DOCCANO = lines(
    {"id": 4, "text": TEXT, "label": [[0, 5, "claim"], [6, 14, "illness"]], "Comments": []},
    {"id": 5, "text": "Fine \U0001f600 tea", "label": []},
)
DOCCANO_RELATIONS = lines(
    {"id": 4, "text": TEXT, "entities": [{"id": 9, "label": "claim", "start_offset": 0, "end_offset": 5}],
     "relations": [{"id": 1, "from_id": 9, "to_id": 9, "type": "of"}], "Comments": []},
    {"id": 5, "text": "tea", "entities": [], "relations": []},
)  # fmt: skip
SPAN = {"start": 0, "end": 5, "label": "claim"}
ARGILLA = [
    {"id": "a1", "fields": {"text": TEXT}, "metadata": {"lang": "en"},
     "suggestions": {"claims": {"value": [{**SPAN, "start": 6, "end": 14}], "score": 0.9, "agent": "llm"}},
     "responses": {
         "claims": [{"value": [SPAN], "user_id": "u1"}, {"value": [], "user_id": "u2"}],
         "fluent": [{"value": "yes", "user_id": "u1"}],
     }, "vectors": {}, "_server_id": "s1"},
    {"id": "a2", "fields": {"text": "tea"}, "metadata": {}, "suggestions": {}, "responses": {}, "vectors": {}},
]  # fmt: skip
STRUCTS = [
    {"id": "x", "text": TEXT, "spans": {"start": [0, 6], "end": [5, 14], "label": ["claim", "illness"]}},
    {"id": "y", "text": "tea", "spans": {"start": [], "end": [], "label": []}},
]
CONLL = """-DOCSTART- -X- O O

# sent_id = s1
Cures B-claim
headache I-claim
. O

Fine O
😀 O
tea S-drink
"""
BRAT_TEXT = "Cures headache.\nFine 😀 tea, really.\n"
BRAT = """T1\tClaim 0 5\tCures
T2\tDrink 0 5;23 26\tCures tea
E1\tClaim:T1
A1\tNegation E1
#1\tAnnotatorNotes T1\tsays what tea does
#2\tAnnotatorNotes T1\tand how
R1\tOf Arg1:T1 Arg2:T2
"""
WEBANNO = """#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue
#T_SP=webanno.custom.Claim|value|explanation
#T_RL=webanno.custom.Of|label|BT_webanno.custom.Claim


#Text=Cures 😀 headache.
1-1\t0-5\tCures\tV\tclaim[1]|tone[2]\twhy\\_not[1]|*[2]\t_\t_\t
1-2\t6-8\t😀\tX\tclaim[1]\twhy\\_not[1]\t_\t_\t
1-3\t9-17\theadache\tN\t_\t_\t_\t_\t
1-3.1\t9-13\thead\tN\t*\t*\t_\t_\t
1-4\t17-18\t.\t.\t_\t_\t_\t_\t

#Text=Fine \\[tea\\]
2-1\t19-23\tFine\tA\ttone\t*\t_\t_\t
2-2\t24-29\t\\[tea\\]\tN\ttone\t*\t_\t_\t
"""
MQM = (
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    """
Bing\td1\t1\t7\tr1\tTee.\t<v>"Cures</v> headache.\tAccuracy/Mistranslation\tMajor
Bing\td1\t1\t7\tr1\tTee.\t"Cures <v>headache</v>.\tStyle/Awkward\tMinor
Bing\td1\t1\t7\tr2\tTee.\t"Cures headache.\tNo-error\tno-error
Bing\td1\t1\t8\tr1\t<v>Tee</v>.\tFine.\tAccuracy/Omission\tMajor
"""
)
REGION = {
    "id": "r", "type": "labels", "from_name": "label", "to_name": "text",
    "value": {"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]},
}  # fmt: skip
LABEL_STUDIO = [{"id": 1, "data": {"text": TEXT}, "annotations": [{"completed_by": 1, "result": [REGION]}]}]
TAGGED = "sentence,token,gold_tags,ours\ns1,Cures,B-claim,O\ns1,it,I-claim,O\ns1,.,O,O\ns2,Tea,O,O\n"
SPAN_LISTS = [
    {"text": "Cures headache.", "gold": [{"start": 0, "end": 5, "label": "claim"}], "ours": []},
    {"text": "Best tea.", "gold": [], "ours": [{"start": 0, "end": 4, "label": "praise"}], "tokens": ["Best", "tea."]},
    {"text": "Tea.", "gold": [], "ours": None},
]
SAMPLES = {
    "span-lists": [(lines(*SPAN_LISTS), "a.jsonl"), (lines(*STRUCTS), "a.jsonl")],
    "doccano": [(DOCCANO, "a.jsonl"), (DOCCANO_RELATIONS, "a.jsonl")],
    "argilla": [(ARGILLA, "a.json")],
    "conll": [(CONLL, "a.txt"), ("Cures\tB-claim\ntea\tO\n", "a.tsv"), ("Cures B\nit I\ntea O\n", "a.bio")],
    "brat": [(BRAT, "a.ann")],
    "webanno-tsv": [(WEBANNO, "a.tsv")],
    "tagged-tokens": [(TAGGED, "b.csv"), ("sentence,token,tag\n1,Cures,B-claim\n1,tea,O\n", "a.csv")],
    "mqm": [(MQM, "a.tsv")],
    "violations": [(lines({"id": "t", "text": TEXT, "violations": []}), "a.jsonl")],
    "label-studio": [(LABEL_STUDIO, "a.json"), ([{"id": 1, "text": TEXT, "label": [], "annotation_id": 3}], "a.json")],
    "prodigy": [(lines({"text": TEXT, "_input_hash": 1, "_task_hash": 2, "spans": [], "answer": "accept"}), "a.jsonl")],
    "m2": [("S Cures it\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n", "a.m2")],
    "spans": [
        ("id,text,start,end,rule\n1,Cures,0,5,claim\n", "a.csv"),
        (lines({"id": 1, "start": 0, "end": 1}), "a.jsonl"),
    ],
}
