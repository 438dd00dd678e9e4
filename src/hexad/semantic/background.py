"""Sentences about nothing in particular: a question's similarity to them is an
embedder's baseline for unrelated.
"""

from typing import Final

BACKGROUND: Final = (
    "The train to the coast leaves at seven in the morning.",
    "Add two cups of flour and a pinch of salt to the bowl.",
    "Her brother plays the violin in a small orchestra.",
    "The server answers requests on port 443 and logs each of them.",
    "Interest rates rose again, and the shares of the bank fell.",
    "A dog was asleep in front of the fire.",
    "Use the function to convert a string into a list of numbers.",
    "The patient was given antibiotics for ten days.",
    "He painted the kitchen walls yellow last summer.",
    "The committee will vote on the budget next month.",
    "Water boils at a lower temperature in the mountains.",
    "The team lost the final by a single goal.",
    "Please send the signed contract to our office in Berlin.",
    "The bridge was closed after the storm damaged it.",
    "She teaches history at a school near the river.",
    "The test failed because the file was not found.",
    "We planted tomatoes and beans behind the house.",
    "The museum shows paintings of the nineteenth century.",
    "Click the button to save your settings.",
    "The enzyme breaks down sugar in the cell.",
    "They moved to Canada when the children were small.",
    "The price includes breakfast and a parking space.",
    "Merge the branch after the review is done.",
    "Nobody knew who had written the letter.",
)
